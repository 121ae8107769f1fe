// What is left behind when nobody wants a lock any more: the claim is closed for good.
// SPDX-License-Identifier: BSL-1.0
#include "lock/protocol/lock_decisions.hpp"
#include "lock/protocol/lock_sequences.hpp"

#include <utility>

namespace dynalease::protocol {

using detail::answer;
using phase = lock_claimant::phase;

namespace {

update_item_request closing_request(const lock_claimant& lock, const resolve_decision& next) {
    const auto& mine = lock.open->id;
    switch (next.step) {
        case resolve_step::leave_closed:
            return lock.requests().leave_closed(next.place);
        case resolve_step::leave:
            return lock.requests().leave(mine, next.place);
        case resolve_step::void_held:
            return lock.requests().void_held(mine);
        default:
            return lock.requests().void_free(mine, lock.row_expiry());
    }
}

}  // namespace

sequence<void> resolve_claim(lock_claimant& lock, lock_row& row) {
    auto& session = lock.session;
    ++session.counters().resolving;
    bool closed = false;
    unsigned failures = 0;
    while (session.may_write()) {
        const bool somebody_came = lock.callers.wanted() && session.live();
        const auto next = decide_resolve(row, session.id(), lock.open->id, closed);
        if (next.step == resolve_step::release) {
            lock.granted(false, true, std::move(row.data));
            break;
        }
        if (next.step == resolve_step::done || (somebody_came && next.step == resolve_step::leave_closed)) {
            lock.close_claim(false);
            break;
        }
        if (somebody_came) break;  // the claim is still good for them
        auto request = closing_request(lock, next);
        auto seen = co_await lock.send(std::move(request));
        if (was_answered(seen.kind)) {
            closed = closed || seen.kind == answer::applied;
            row = std::move(seen.row);
            continue;
        }
        // What is rejected now, for credentials that have expired, may pass later. Forgotten, the claim could leave
        // the lock taken for as long as this session lives.
        if (seen.kind == answer::rejected && failures == 0) {
            session.log(severity::error,
                        "lock '" + lock.name + "': a given-up claim cannot be closed yet: " + seen.why->code.message());
        }
        co_await lock.pause_after(failures++);
    }
    --session.counters().resolving;
    if (!session.may_write()) {
        lock.drop();
    } else if (lock.now == phase::resolving) {
        lock.rest();
    }
}

sequence<void> audit_claim(lock_claimant& lock, lock_row& row) {
    auto& session = lock.session;
    auto seen = co_await lock.look();
    if (!session.may_write()) {
        lock.drop();
    } else if (lock.callers.wanted()) {
        lock.now = phase::wanting;
    } else if (seen.kind == answer::applied &&
               (seen.row.held_by(session.id(), lock.open->id.attempt) || seen.row.place_of(session.id()))) {
        // A copy of the take landed after all, or one of the join: resolving gives back the one and leaves the other.
        row = std::move(seen.row);
        lock.now = phase::resolving;
    } else if (was_answered(seen.kind)) {
        lock.close_claim(false);
        lock.now = phase::idle;
    } else {
        // What may have landed would stay for as long as the session does: ask once more, as late again.
        lock.open->sent_at = session.now();
        lock.now = phase::idle;
        lock.callers.audit_later();
    }
}

}  // namespace dynalease::protocol
