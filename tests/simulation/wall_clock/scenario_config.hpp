// What a kind of world is made of.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/scenario_config.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dynalease::simulation::wall_clocks {

struct scenario_config : simulation::scenario_config {
    scenario_config() : simulation::scenario_config{.longest = 35s} {
        demand.refusals = 1000;  // waiting is asking for the lock, time and again
        network.answers_copies = true;
    }

    std::size_t most_users = 2;  ///< in one process
    std::size_t most_items = 2;
    std::vector<std::chrono::milliseconds> timeouts{2s, 4s, 30s};
    /// Of the timeout.
    std::vector<std::int64_t> skew_parts{5, 10, 40};
    /// One user in so many keeps to the recipe of others, without the library; 0: none does.
    std::uint64_t strangers = 4;
    /// They free the item without a look at whose it is by then.
    bool careless = false;
    /// One hold in so many goes on until the lock is over; 0: none does.
    std::uint64_t outstays = 5;
    std::chrono::milliseconds longest_hold = 700ms;
    std::chrono::milliseconds longest_rest = 1500ms;
    /// Of one in so many calls the caller changes its mind.
    std::uint64_t cancels = 6;
};

}  // namespace dynalease::simulation::wall_clocks
