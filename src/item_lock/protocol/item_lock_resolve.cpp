// What is left behind when nobody wants an item any more: the claim is closed for good.
// SPDX-License-Identifier: BSL-1.0
#include "item_lock/protocol/item_lock_sequences.hpp"

#include <utility>

namespace dynalease::protocol {

using detail::answer;
using phase = item_lock_claimant::phase;

namespace {

update_item_request closing_request(const item_lock_claimant& lock, item_resolve_step next, const item_reply& seen) {
    switch (next) {
        case item_resolve_step::leave:
            return lock.requests().leave(lock.open->id, seen.lock.intent->text);
        case item_resolve_step::leave_closed:
            return lock.requests().leave_closed(seen.lock.intent->text);
        default:
            return lock.requests().close(lock.open->id);
    }
}

}  // namespace

sequence<void> resolve_claim(item_lock_claimant& lock, stepper& steps, item_reply& seen) {
    auto& session = lock.session;
    // An answer that shows nothing does not show that there is no item.
    if (!was_answered(seen.kind)) seen.lock.exists = true;
    ++session.counters().resolving;
    bool closed = lock.open->closed;
    bool done = false;
    unsigned failures = 0;
    while (session.may_write()) {
        if (!closed && lock.callers.wanted() && session.live()) break;  // the claim is still good for those who came
        const auto next = decide_item_resolve(seen.lock, session.id(), lock.open->id, closed);
        done = next == item_resolve_step::done;
        if (done && seen.lock.hold_of(session.id()) && lock.take_up_ghost(seen.lock)) {
            closed = true;
            continue;
        }
        if (done) break;
        if (next == item_resolve_step::release) {
            lock.take_grant(seen.lock);
            lock.now = phase::giving_back;
            --session.counters().resolving;
            co_return;
        }
        auto request = closing_request(lock, next, seen);
        auto answered = co_await lock.send(steps, std::move(request));
        if (answered.kind == answer::applied) {
            closed = true;
            if (next == item_resolve_step::close) {
                // It shows the item as well: an intent of ours whose answer was lost may stand there.
                seen = std::move(answered);
            } else {
                seen.lock.intent.reset();
            }
        } else if (answered.kind == answer::refused) {
            seen = std::move(answered);
        } else {
            // What is rejected now, for credentials that have expired, may pass later. Forgotten, an intent would keep
            // all others out for as long as this session lives.
            if (answered.kind == answer::rejected && failures == 0) {
                session.log(severity::error, "item '" + lock.name + "': a given-up claim cannot be closed yet: " +
                                                 answered.why->code.message());
            }
            co_await lock.pause_after(steps, failures++);
        }
    }
    --session.counters().resolving;
    if (!session.may_write()) {
        lock.drop();
        co_return;
    }
    if (done) lock.close_claim(false);
    lock.rest();
}

sequence<void> audit_claim(item_lock_claimant& lock, stepper& steps, item_reply& seen) {
    auto& session = lock.session;
    auto found = co_await lock.look(steps, false);
    if (!session.may_write()) {
        lock.drop();
        co_return;
    }
    // Nobody here has it: what stands there under our name is a copy, of this claim or of an older one.
    if (was_answered(found.kind)) lock.unlanded.reset();
    const auto* ghost = found.kind == answer::applied ? found.lock.entry_of(session.id()) : nullptr;
    if (ghost) {
        lock.open->id.attempt = ghost->attempt;
        lock.open->closed = true;
        seen = std::move(found);
        lock.now = phase::resolving;
    } else if (lock.callers.wanted()) {
        lock.now = phase::wanting;
    } else if (was_answered(found.kind) || session.plain()) {
        lock.open.reset();
        lock.now = phase::idle;
    } else {
        // What may have landed would stay for as long as the session does: ask once more, as late again.
        lock.open->sent_at = session.now();
        lock.now = phase::idle;
        lock.callers.audit_later();
    }
}

}  // namespace dynalease::protocol
