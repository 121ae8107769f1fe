// What kind of machine a process of a world runs on.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/testing/node.hpp>
#include <dynalease/testing/tape.hpp>

#include <chrono>
#include <cstdint>

namespace dynalease::simulation {

/// Of the random numbers of a program: its own, or, for some, that of the image from which others start, too.
std::uint64_t draw_seed(testing::tape& choices);

/// A clock that runs and shows what `choices` say, within these bounds; an executor that dispatches inline in half of
/// the cases; and before the network whatever the mutant that is on puts there.
testing::node_options draw_machine(testing::tape& choices, std::int64_t drift_ppm,
                                   std::chrono::milliseconds wall_error);

/// On a stage, where nothing is drawn, but the mutant that is on stands before the network, too.
testing::node_options machine_on_stage(std::uint64_t seed, std::int64_t drift_ppm = 0);

}  // namespace dynalease::simulation
