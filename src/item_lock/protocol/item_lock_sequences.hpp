// The sequences of an item's lock: what its phases do, what keeps a grant alive, and what is written under it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "database/protocol/sequence.hpp"
#include "item_lock/protocol/guarded_answers.hpp"
#include "item_lock/protocol/item_lock_claimant.hpp"

#include <cstdint>
#include <optional>

namespace dynalease::protocol {

/// Takes away who stands in the way and is over: `reap`, or `free`.
sequence<item_reply> clear(item_lock_claimant& lock, stepper& steps, const item_acquire_decision& next);

// Each of these runs until the phase changes. `seen` is the item as last seen, and is kept so.

/// Until it is granted, nobody here wants it any more, or the session is over.
sequence<void> acquire_item(item_lock_claimant& lock, stepper& steps, item_reply& seen);
/// Readers of this process join those that have the item.
sequence<void> let_readers_join(item_lock_claimant& lock, stepper& steps, item_reply& seen);
/// The grant has ended: to the next writer of this process, or back to the item.
sequence<void> pass_item_on(item_lock_claimant& lock, stepper& steps, item_reply& seen);
/// Makes sure that no copy of the claim can land, and gives back what has.
sequence<void> resolve_claim(item_lock_claimant& lock, stepper& steps, item_reply& seen);
/// Looks, when no copy can land any more, whether one has.
sequence<void> audit_claim(item_lock_claimant& lock, stepper& steps, item_reply& seen);

/// Of a plain session: beside the others, for as long as the item is held.
sequence<void> keep_grant(item_lock_claimant& lock, stepper& steps);

/// What a guarded write came to.
struct guarded_end {
    enum class grant {
        kept,
        doubtful,    ///< and no other write may be sent under it: what became of this one is not known
        lost,        ///< not ours any more, without our doing
        ended,       ///< the write gave it back
        to_release,  ///< that closes what has no answer
    };
    detail::shared_failure why{};                 ///< null: it was done
    item left{};                                  ///< the item after it
    grant is = grant::kept;                       ///< what became of the guard's grant
    std::optional<std::int64_t> doubtful_step{};  ///< that the write makes; empty: nothing in the item will tell
};

// By those who hold the item, beside the sequences above, one at a time for each grant.

sequence<void> change_item(item_lock_claimant& lock, stepper& steps, guarded_change what, guarded_end& end);
sequence<void> downgrade_grant(item_lock_claimant& lock, stepper& steps, guarded_end& end);
sequence<void> end_grant_with(item_lock_claimant& lock, stepper& steps, last_write last, guarded_end& end);

/// How long a write without an answer is sent again before it is in doubt.
inline constexpr std::chrono::seconds resolve_within{10};

}  // namespace dynalease::protocol
