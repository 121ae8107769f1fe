// What a world of transactions is made of.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/scenario_config.hpp"

#include <dynalease/transaction/transactions_options.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dynalease::simulation::transfers {

/// How often callers do what, against each other.
struct habits {
    unsigned transfer = 6;  ///< between two accounts, read or not
    unsigned append = 4;    ///< to several lists, having read others
    unsigned skew = 2;      ///< reads two, writes one
    unsigned survey = 1;    ///< reads several, writes none
    unsigned token = 3;     ///< items that are made, written over and erased again and again
    unsigned plain = 2;     ///< a versioned write, which is no transaction
    unsigned read = 3;      ///< beside all transactions
    unsigned together = 2;  ///< ... several items, as of one moment
    unsigned end = 2;       ///< looks at somebody's transaction, carries it on or rolls it back
    unsigned sweep = 1;
    unsigned pages = 1;  ///< reads all items, page by page
    unsigned free = 1;   ///< takes a mark off an item
};

struct scenario_config : simulation::scenario_config {
    scenario_config()
        : simulation::scenario_config{
              .fewest_nodes = 1, .most_nodes = 3, .longest = 40s, .nemesis = {.presence = 0.3}} {
        network.answers_copies = true;
        network.worst_chance = 50'000;
        demand.to_a_row = 300;
        demand.in_all = 1000;
    }

    std::size_t accounts = 3;
    std::size_t tokens = 2;  ///< of which the second is worth nothing
    habits users{};
    std::vector<wait_policy> policies{wait_policy::wound_wait, wait_policy::wait, wait_policy::fail_fast};
    std::vector<transaction_tier> tiers{transaction_tier::automatic, transaction_tier::inline_undo,
                                        transaction_tier::locked_commit};
    /// The longest of all attempts together; the shortest is 20 ms.
    std::chrono::milliseconds longest_within{10s};
    std::chrono::milliseconds longest_patience{3s};
    std::chrono::milliseconds longest_age{2s};  ///< of what is swept up
    std::chrono::milliseconds longest_rest = 800ms;
    /// How long a body thinks between its reads and its writes.
    std::chrono::milliseconds longest_thought = 100ms;
    /// Of one in so many calls the caller changes its mind.
    std::uint64_t cancels = 8;
    /// Bytes that an update without a look leaves on an item beside: of some items more than one row can keep.
    std::size_t ballast = 0;
    /// One in so many wishes has a name of its own ...
    std::uint64_t named = 3;
    /// ... and one in so many is another's of those, once more.
    std::uint64_t shared = 4;
    /// One in so many calls requires a lock, and all processes want the same one; 0: none does, or has a session.
    std::uint64_t guarded = 0;
};

}  // namespace dynalease::simulation::transfers
