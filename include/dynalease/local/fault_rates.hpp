// The misfortunes of a real DynamoDB, for tests of code that has to live with them.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#pragma GCC visibility push(default)
namespace dynalease::local {

/// How many requests about items meet each, as a share from 0 to 1. Drawn from the seed: the same requests in the same
/// order meet the same.
struct fault_rates {
    /// Refused with ProvisionedThroughputExceededException; nothing is done.
    double throttled = 0;
    /// Answered with InternalServerError: one half before anything was done, the other half after.
    double failed = 0;
    /// Writes of single items refused with TransactionConflictException, and transactions cancelled for it.
    double conflicting = 0;
    std::uint64_t seed = 1;
};

}  // namespace dynalease::local
#pragma GCC visibility pop
