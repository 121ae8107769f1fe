// What a kind of world is made of.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/scenario_config.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dynalease::simulation::locks {

struct scenario_config : simulation::scenario_config {
    scenario_config() : simulation::scenario_config{.shortest = 20s, .longest = 70s, .nemesis = {.longest = 25s}} {
        demand.at_once = 28;
        network.answers_copies = true;
    }

    std::size_t most_users = 3;  ///< of locks, in one process
    std::size_t most_locks = 2;
    std::vector<std::chrono::milliseconds> leases{4s, 6s, 10s, 20s};
    /// How often waiting processes look, by their own option.
    std::vector<std::chrono::milliseconds> poll_intervals{140ms};
    std::chrono::milliseconds longest_hold = 3s;
    std::chrono::milliseconds longest_rest = 4s;
    /// Of one in so many attempts the caller changes its mind.
    std::uint64_t cancels = 5;
    /// How long somebody may wait in the calm, beyond what the dead and the absent cost.
    std::chrono::seconds patience = 60s;
    /// Clocks stop, rows are lost or edited: P1 cannot be promised, the fence is.
    bool breaks_assumptions = false;
    /// Days go by in the middle, in which TTL removes what is free, while wall clocks are wrong by hours.
    bool days_go_by = false;
};

}  // namespace dynalease::simulation::locks
