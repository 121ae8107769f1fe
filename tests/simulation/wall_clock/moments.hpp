// The moments that stand in items, read as anybody may who knows the recipe.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace dynalease::simulation::wall_clocks {

using moment = std::chrono::sys_time<std::chrono::microseconds>;

/// "2026-11-21T22:30:00.123456+00:00", or without a fraction. Empty: it is something else.
std::optional<moment> moment_in(std::string_view text);

/// As writers of other makes write it: microseconds of zero are left out.
std::string foreign_text(moment when);

}  // namespace dynalease::simulation::wall_clocks
