// Those of this process who want a lock, as its protocol sees them.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "session/protocol/claim.hpp"
#include "session/protocol/claim_callers.hpp"

#include <dynalease/dynamodb/item.hpp>

#include <optional>

namespace dynalease::protocol {

class lock_callers : public claim_callers {
public:
    /// Since when the first tries until it is known whether the holder lives; empty: he does not. Nobody waits until
    /// then.
    virtual std::optional<time_point> tries_until_known() = 0;
    /// What the first of them wants written. Only when the lock is wanted.
    virtual const item& data() = 0;
    /// The first gets the grant. Only when the lock is wanted.
    virtual void serve(const claim& grant) = 0;
    /// The first alone, as `fail_all`.
    virtual void fail_first(const detail::shared_failure& why, time_point asked) = 0;

protected:
    ~lock_callers() = default;
};

}  // namespace dynalease::protocol
