// Those of this process who want an item, and the guards of those who have it, as the lock's protocol sees them.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item_lock/protocol/item_lock_state.hpp"
#include "session/protocol/claim_callers.hpp"

#include <cstdint>
#include <optional>

namespace dynalease::protocol {

class item_lock_callers : public claim_callers {
public:
    /// Since when the first tries until it is known whether others live; empty: he does not. Nobody waits until then.
    virtual std::optional<time_point> tries_until_known() = 0;
    /// Behind them somebody waits who wants it together with other items.
    virtual bool wanted_together() = 0;
    /// What the first of them wants. Only when the item is wanted.
    virtual item_access wish() = 0;
    /// The first gets a guard of the present grant. Only when the item is wanted.
    virtual void serve() = 0;

    // ---- the guards of the present grant ----
    /// A plain session's lasts from now on until another moment than it did.
    virtual void kept() = 0;
    /// Until its end guards write nothing. @returns false where none has the grant, or one writes, or is in doubt
    virtual bool begin_renewal() = 0;
    virtual void end_renewal() = 0;
    /// The grant is lost, and all its guards are.
    virtual void lose_grant() = 0;

    // ---- the guard that gives it back ----
    /// The item was at that step when no guarded write of it could land any more.
    virtual void resolve_doubt(std::int64_t step) = 0;

    /// Nobody here has the item any more, or wants it by itself.
    virtual void at_rest() = 0;

protected:
    ~item_lock_callers() = default;
};

}  // namespace dynalease::protocol
