// A failing world told again: its events, a timeline of its nodes, and a plainer world that fails as well.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/primitive.hpp"

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

namespace dynalease::simulation {

/// Plays a seed, or the recording in a file, with its events told on `out`. @returns what it broke.
std::optional<std::string> replay(const primitive& what, const std::string& seed_or_file, std::string_view scenario,
                                  std::ostream& out);

/// Makes a failing seed plainer and writes what is left of its choices to a file.
/// @returns the file's name.
std::string shrink_to_file(const primitive& what, std::uint64_t seed, std::string_view scenario,
                           std::ostream& progress);

}  // namespace dynalease::simulation
