// Which words must be written through a placeholder.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>

namespace dynalease::local::expression {

/// In any letter case.
bool is_reserved(std::string_view word);

}  // namespace dynalease::local::expression
