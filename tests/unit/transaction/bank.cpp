// The tiers that a test plays.
// SPDX-License-Identifier: BSL-1.0
#include "bank.hpp"

#include <catch2/catch.hpp>

namespace dynalease::tests {

transaction_tier tiers() {
    return GENERATE(transaction_tier::automatic, transaction_tier::inline_undo);
}

}  // namespace dynalease::tests
