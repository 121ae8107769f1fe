// What a kind of world is made of.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/scenario_config.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dynalease::simulation::queues {

struct scenario_config : simulation::scenario_config {
    scenario_config() : simulation::scenario_config{.nemesis = {.interval = 10s}} { network.answers_copies = true; }

    std::size_t most_users = 3;  ///< of queues, in one process
    std::size_t fewest_queues = 1;
    std::size_t most_queues = 2;
    std::vector<std::chrono::milliseconds> leases{4s, 6s, 10s};
    /// Up to beyond the claim of a turn that is not written down.
    std::chrono::milliseconds longest_hold = 2500ms;
    std::chrono::milliseconds longest_rest = 3s;
    /// Of one in so many entries the caller changes its mind.
    std::uint64_t cancels = 5;
    /// One in so many is an entry into all queues at once.
    std::uint64_t several = 4;
    /// Of so many entries one comes with a look at the queue that nobody waits for.
    std::uint64_t looks = 8;
    /// Processes are told to look at the shortest and the longest intervals.
    bool odd_options = false;
    /// Clocks stop: one valid turn at a time cannot be promised; order, rising tokens and the fence are.
    bool breaks_assumptions = false;
    /// Rows are lost or edited: not even order can be promised, but tokens rise, and everyone is served.
    bool loses_rows = false;
    /// An old backup comes back, and with it tickets that were issued before: only that everyone is served remains.
    bool breaks_tokens = false;
    /// ... from so many turns ago.
    std::vector<std::int64_t> turns_back{0};
    /// Weeks go by in the middle, in which TTL removes what is idle, while wall clocks are wrong by hours.
    bool weeks_go_by = false;
};

}  // namespace dynalease::simulation::queues
