// The one header of Catch2 2, and the names it has there, where Catch2 3 is installed.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <catch2/catch_all.hpp>

#include <string>

namespace Catch {

using Matchers::EndsWith;
using Matchers::Matches;
using Matchers::StartsWith;

inline auto Contains(const std::string& part, CaseSensitive sensitive = CaseSensitive::Yes) {
    return Matchers::ContainsSubstring(part, sensitive);
}

}  // namespace Catch

using Catch::Approx;
