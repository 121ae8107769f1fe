// What a refused versioned write means. After an answer that was lost, "refused" alone says nothing: the first copy of
// the very same write may be what stands there.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item/protocol/item_state.hpp"

#include <chrono>
#include <cstdint>

namespace dynalease::protocol {

/// What is known when a write was refused.
struct refusal {
    const item_version& base;  ///< what it was made from
    const item_stamp& mine;    ///< its stamp, the same in all its copies
    std::int64_t target;       ///< the version it would give the item
    /// No copy of it is unanswered.
    bool clean;
    /// It passes item locks; then only a transaction is in its way.
    bool ignores_lock = false;
    /// Whether the base's stamps are known, or only its version and birth.
    bool knows_stamps = true;
    /// Whether the item has the maps that the write changes something in.
    bool has_maps = true;
    /// What the refusal, or a read after it, shows; null: no item.
    const item_state* now;
};

enum class verdict {
    applied,          ///< it stands there, and is the last write
    superseded,       ///< it was applied, and others wrote since
    again,            ///< not closed: a copy may land yet, and the next one may too
    held,             ///< a lock or a transaction holds the item
    condition_false,  ///< the state is as expected: the caller's own condition was false
    conflict,         ///< not applied: the item has moved on, and it never will be; or a map that it needs has gone
    exists,           ///< surely not created: another item stands there
    missing,          ///< surely not applied: there is no such item
    create_over,      ///< a tombstone stands there: create over it
    create_anew,      ///< the tombstone is gone: create
    doubt,            ///< nobody can tell any more
};

/// Of a write that tests the state it was made from: save, replace, touch, remove.
verdict decide_checked(const refusal& what);
/// Of a creation.
verdict decide_create(const refusal& what);
/// Of a creation over a tombstone, which is `what.base`.
verdict decide_create_over(const refusal& what);
/// Of a write that tests no version: blind updates and clobbering. @param makes also an item where there is none.
verdict decide_blind(const refusal& what, bool makes);

/// The longest pause before try `tries` (from 2) of an update that met a conflict; the pause itself is any part of it.
std::chrono::nanoseconds conflict_pause(unsigned tries);

}  // namespace dynalease::protocol
