// Readers of a process that join those who have the item, as long as no writer of another is kept out by it.
// SPDX-License-Identifier: BSL-1.0
#include "item_lock/protocol/item_lock_sequences.hpp"

#include <utility>

namespace dynalease::protocol {

using detail::answer;
using phase = item_lock_claimant::phase;

namespace {

bool joins(item_lock_claimant& lock) {
    return lock.now == phase::held && lock.grant.held.access == item_access::shared && lock.session.live() &&
           lock.callers.wanted();
}

/// As far as one look at its session tells.
sequence<bool> is_over(item_lock_claimant& lock, stepper& steps, item_claimant who) {
    if (who.session.empty()) co_return false;  // of a version unknown to us
    auto is = lock.outlook.judge(who, lock.callers.waited_for(), lock.callers.tries_until_known());
    if (is == holder_is::not_known) {
        look_step wanted{who.session};
        const auto looked = co_await asking(steps, std::move(wanted));
        if (!looked.unseen) is = lock.outlook.judge(who, lock.callers.waited_for());
    }
    co_return is == holder_is::over;
}

}  // namespace

sequence<void> let_readers_join(item_lock_claimant& lock, stepper& steps, item_reply& seen) {
    lock.outlook.look_soon();
    for (unsigned failures = 0; joins(lock);) {
        if (lock.callers.wish() != item_access::shared || lock.outlook.readers_may_join()) {
            lock.serve_readers();
            co_return;
        }
        seen = co_await lock.look(steps, false);
        if (!joins(lock)) co_return;
        if (!was_answered(seen.kind)) {
            if (seen.kind == answer::rejected) lock.callers.fail_all(seen.why, seen.sent_at);
            lock.callers.fail_try_unheard(seen.why, seen.sent_at);
            co_await lock.pause_after(steps, failures++);
            continue;
        }
        lock.study(seen.lock);
        // A renewal that is under way may have put another entry in its place.
        if (!lock.session.plain() && !seen.lock.held_by(lock.session.id(), lock.grant.held.id.attempt)) {
            lock.lose_grant();
            lock.rest();
            co_return;
        }
        if (lock.fate_of_others(seen) == item_fate::settled) {
            lock.callers.fail_try(nullptr, seen.sent_at);
            continue;
        }
        if (!lock.outlook.others_intend()) continue;
        const bool forgotten = co_await is_over(lock, steps, *seen.lock.intent);
        if (!joins(lock)) co_return;
        if (forgotten) {
            lock.outlook.forget_intent(seen.sent_at);
            continue;
        }
        if (lock.callers.try_came_after(seen.sent_at)) continue;
        const bool goes_on = lock.fate_of_others(seen) == item_fate::unknown;
        if (!goes_on) lock.callers.fail_try(nullptr, seen.sent_at);
        if (joins(lock)) co_await lock.pause(steps, lock.time_to_next_look(seen.lock, lock.question()));
    }
}

}  // namespace dynalease::protocol
