// What a process knows of the tickets that were not passed yet.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "queue/protocol/missing_tickets.hpp"
#include "queue/protocol/queue_decisions.hpp"

#include <cstdint>
#include <vector>

namespace dynalease::protocol {

struct known_places {
    missing_tickets missing{};
    void_tickets voids{};              ///< given up by us
    std::vector<std::int64_t> over{};  ///< those and all others that are known to be over; in order
    std::int64_t passed_here = 0;      ///< up to where we have ever asked to pass tickets over

    /// @returns false where that was known
    bool add_over(std::int64_t ticket);
    std::int64_t over_before(std::int64_t ticket) const;
    /// All up to that one.
    void forget_passed(std::int64_t passed);
    /// The queue is another: numbers that were issued are issued again, and rows that were passed may stand there.
    void forget_all();
};

}  // namespace dynalease::protocol
