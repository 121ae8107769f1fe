// Names that never come twice, as text.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace dynalease::runtime {

/// 22 characters of the URL-safe base64 alphabet.
std::string text_of_identity(const std::array<std::uint64_t, 2>& identity);

}  // namespace dynalease::runtime
