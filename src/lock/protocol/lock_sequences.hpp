// The sequences of a lock: from wanting it to what is left behind when nobody does any more.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "database/protocol/sequence.hpp"
#include "lock/protocol/lock_claimant.hpp"
#include "lock/protocol/lock_row.hpp"

namespace dynalease::protocol {

// Each runs until the phase changes. `row` is the row as last seen, and is kept so.

/// Until it is granted, nobody here wants it any more, or the session is over.
sequence<void> acquire_lock(lock_claimant& lock, lock_row& row);
/// The grant has ended: to the next caller of this process, or back to the table.
sequence<void> pass_lock_on(lock_claimant& lock, lock_row& row);
/// Makes sure that no copy of the claim can land, and gives back what has.
sequence<void> resolve_claim(lock_claimant& lock, lock_row& row);
/// Looks, when no copy can land any more, whether one has.
sequence<void> audit_claim(lock_claimant& lock, lock_row& row);

}  // namespace dynalease::protocol
