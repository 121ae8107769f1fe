// What a kind of world is made of.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/scenario_config.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dynalease::simulation::item_locks {

struct scenario_config : simulation::scenario_config {
    scenario_config() : simulation::scenario_config{.longest = 35s} { network.answers_copies = true; }

    std::size_t most_users = 3;  ///< in one process
    std::size_t most_items = 2;
    std::vector<std::chrono::milliseconds> leases{4s, 6s, 10s};
    /// One user in so many is an optimistic saver, who knows of no locks.
    std::uint64_t savers = 4;
    /// One save in so many may take the item's lock, after a conflict or two; 0: none may.
    std::uint64_t promotions = 0;
    /// One acquisition in so many is a reader's.
    std::uint64_t readers = 3;
    std::size_t most_readers = 64;
    std::chrono::milliseconds longest_hold = 1500ms;
    std::chrono::milliseconds longest_rest = 2s;
    /// Of one in so many calls the caller changes its mind.
    std::uint64_t cancels = 6;
    /// Sessions have no rows: each lock lives by its own writes.
    bool plain = false;
    /// One user in so many wants several items at once; 0: none does.
    std::uint64_t several = 0;
    /// Of one in so many writers' holds the item is removed at the end, and made anew by somebody; 0: of none.
    std::uint64_t erasures = 0;
    /// Items are removed, and made anew, by somebody who knows of no locks.
    bool reborn = false;
    /// A clock may stop: then two may believe at once, and only writes under the lock tell which of them has it.
    bool breaks_assumptions = false;
};

}  // namespace dynalease::simulation::item_locks
