// The page, as it lies in page.html.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>

namespace payments::web {

extern const std::string_view page;

}  // namespace payments::web
