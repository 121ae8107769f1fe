// Which version of the library this is.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>

#pragma GCC visibility push(default)
namespace dynalease {

/// As "MAJOR.MINOR.PATCH". The build takes it from here.
inline constexpr std::string_view version = "0.1.0";

}  // namespace dynalease
#pragma GCC visibility pop
