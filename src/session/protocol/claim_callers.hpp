// Those of this process who want something that is claimed, as its protocol sees them.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "database/protocol/reply.hpp"

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/runtime/time.hpp>

namespace dynalease::protocol {

/// They are served in their order. At most the first one tries; the others wait.
class claim_callers {
public:
    virtual bool wanted() = 0;
    /// ... by somebody who does more than try.
    virtual bool waited_for() = 0;

    // @param why null: others have it @param asked when the request was sent that shows why: what was so then is no
    // answer to those who came later.
    virtual void fail_try(const detail::shared_failure& why, time_point asked) = 0;
    /// The same where nobody can be asked, or has answered: who tries until it is known whether others live bears that
    /// for a lease.
    virtual void fail_try_unheard(const detail::shared_failure& why, time_point asked) { fail_try(why, asked); }
    virtual void fail_all(const detail::shared_failure& why, time_point asked) = 0;
    /// Nobody waits, and whoever tries came later.
    virtual bool try_came_after(time_point asked) = 0;

    /// How the release stands that goes on. If anybody still asks how it ended, the first word counts.
    virtual void tell_release(const failure& how) = 0;
    /// It is done with.
    virtual void end_release(const failure& how) = 0;
    /// ... and what it was to give back has gone to the next of them.
    virtual void end_hand_over() = 0;
    /// A copy of the open claim may land late: it is to be looked for then.
    virtual void audit_later() = 0;

protected:
    ~claim_callers() = default;
};

}  // namespace dynalease::protocol
