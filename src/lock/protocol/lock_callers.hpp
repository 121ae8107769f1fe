// Those of this process who want a lock, as its protocol sees them.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "database/protocol/reply.hpp"
#include "session/protocol/claim.hpp"

#include <dynalease/dynamodb/item.hpp>
#include <dynalease/error.hpp>
#include <dynalease/runtime/time.hpp>

namespace dynalease::protocol {

/// They are served in their order. At most the first one tries; the others wait.
class lock_callers {
public:
    virtual bool wanted() = 0;
    /// ... by somebody who does more than try.
    virtual bool waited_for() = 0;
    /// What the first of them wants written. Only when the lock is wanted.
    virtual const item& data() = 0;

    /// The first gets the grant. Only when the lock is wanted.
    virtual void serve(const claim& grant) = 0;
    // @param why null: others have the lock @param asked when the request was sent that shows why: what the lock was
    // then is no answer to those who came later.
    virtual void fail_try(const detail::shared_failure& why, time_point asked) = 0;
    virtual void fail_first(const detail::shared_failure& why, time_point asked) = 0;
    virtual void fail_all(const detail::shared_failure& why, time_point asked) = 0;
    /// Nobody waits, and whoever tries came later.
    virtual bool try_came_after(time_point asked) = 0;

    /// How the release that is under way ended, if anybody still asks. The first word counts.
    virtual void end_release(error_code code) = 0;
    /// A copy of the open claim may land late: it is to be looked for then.
    virtual void audit_later() = 0;

protected:
    ~lock_callers() = default;
};

}  // namespace dynalease::protocol
