// How it ended: the table of what happened, the check that nothing was lost, and the result line.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "lock/lease_holder.hpp"
#include "lock/ledger.hpp"
#include "lock/scene.hpp"

#include <chrono>
#include <vector>

namespace demo {

/// Times that the script itself measured.
struct interludes {
    std::chrono::nanoseconds takeover{};  ///< from the kill to the next grant of a lock the dead one held
    std::chrono::nanoseconds stopped{};   ///< how long a worker stood still while it held two locks
};

/// Prints it all to standard output. @returns whether nothing was lost and everything happened that had to.
bool report(const scene& state, const interludes& times, const holding& leases,
            const std::vector<account>& final_accounts);

}  // namespace demo
