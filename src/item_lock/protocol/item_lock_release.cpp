// The end of an item's grant: to the next writer of this process, or back to the item.
// SPDX-License-Identifier: BSL-1.0
#include "item_lock/protocol/item_lock_sequences.hpp"

#include <optional>
#include <utility>

namespace dynalease::protocol {

using detail::answer;
using phase = item_lock_claimant::phase;

namespace {

/// A downgrade that was in doubt has landed.
bool was_downgraded(const item_lock_claimant& lock, const item_grant& held, const item_lock_state& seen) {
    return held.access == item_access::exclusive && !seen.writer && seen.held_by(lock.session.id(), held.id.attempt);
}

/// @param unresolved a hand-over that may have landed: whichever of the two it is, is given back
sequence<void> release(item_lock_claimant& lock, stepper& steps, item_reply& seen, std::optional<claim> unresolved) {
    auto& session = lock.session;
    auto releasing = lock.grant.held;
    bool unanswered = false;
    unsigned failures = 0;
    while (session.may_write()) {
        auto request = lock.requests().release(releasing);
        auto answered = co_await lock.send(steps, std::move(request));
        if (was_answered(answered.kind)) {
            const bool freed = answered.kind == answer::applied;
            if (answered.doubtful && !std::exchange(unanswered, true)) ++session.counters().unknown_writes;
            // The grant that a hand-over made counts its own steps.
            if (answered.step_before && releasing.id == lock.grant.held.id) {
                lock.callers.resolve_doubt(*answered.step_before);
            }
            if (!freed) seen = std::move(answered);
            if (!freed && unresolved && seen.lock.held_by(session.id(), unresolved->attempt)) {
                // The hand-over landed: what is to be given back is the grant it made.
                releasing.id = *std::exchange(unresolved, std::nullopt);
                lock.callers.resolve_doubt(lock.grant.held.step);
                continue;
            }
            if (!freed && was_downgraded(lock, releasing, seen.lock)) {
                releasing.access = item_access::shared;
                lock.callers.resolve_doubt(releasing.step + 1);
                continue;
            }
            // Refused after a copy that had no answer: that copy did it, if nobody else could before this answer.
            const bool by_copy = (unanswered && lock.ours_till_now()) || freed_by_copy(lock, seen.lock, releasing);
            const bool released = freed || by_copy;
            if (unanswered && released) ++session.counters().unknown_applied;
            if (released || !unanswered) {
                lock.close_claim(releasing.id != lock.grant.held.id);
            } else {
                lock.forget_claim();
            }
            lock.end_release(released ? error_code() : unanswered ? errc::in_doubt : errc::lock_lost);
            if (freed) seen.lock = {.exists = true, .floor = lock.tokens.floor};
            lock.rest();
            co_return;
        }
        if (answered.kind == answer::unanswered) {
            if (!std::exchange(unanswered, true)) ++session.counters().unknown_writes;
            lock.callers.tell_release(failure(errc::in_doubt));
        } else if (answered.kind == answer::rejected) {
            lock.callers.tell_release(*answered.why);
        }
        lock.callers.fail_try_unheard(detail::told_newcomer(answered.why), time_point::max());
        co_await lock.pause_after(steps, failures++);
    }
    lock.drop();
}

bool writer_waits(item_lock_claimant& lock) {
    return lock.callers.wanted() && lock.session.live() && lock.callers.wish() == item_access::exclusive;
}

void handed(item_lock_claimant& lock, item_reply& seen) {
    const auto last_step = lock.grant.held.step;
    lock.grant.held = {.id = lock.open->id, .access = item_access::exclusive, .step = 0, .born = seen.lock.born};
    lock.tokens.floor = lock.open->id.token;
    lock.kept(lock.open->absent_at);
    if (seen.whole) lock.grant.known = *std::move(seen.whole);
    lock.close_claim(true);
    lock.callers.resolve_doubt(last_step);
    // Else it was given back to those who came for it and have gone: nobody here goes on with it.
    const bool handed_on = lock.grant_lives() && writer_waits(lock);
    if (handed_on) {
        lock.end_hand_over();
    } else {
        lock.end_release({});
    }
    ++lock.hand_overs;
    lock.now = handed_on && lock.serve() ? phase::held : phase::giving_back;
}

sequence<void> hand_over(item_lock_claimant& lock, stepper& steps, item_reply& seen) {
    auto& session = lock.session;
    lock.new_claim(lock.tokens.floor);
    unsigned failures = 0;
    while (session.may_write()) {
        if (!writer_waits(lock)) {
            // The hand-over may have landed: give back whichever of the two it is.
            const auto unresolved = lock.open->sent ? std::optional(lock.open->id) : std::nullopt;
            co_await release(lock, steps, seen, unresolved);
            co_return;
        }
        lock.stake();
        auto request = lock.requests().hand_over(lock.grant.held, lock.open->id);
        lock.open->under_way = true;
        auto answered = co_await lock.send(steps, std::move(request));
        lock.open->under_way = false;
        auto next = hand_over_step::again;
        if (answered.doubtful) lock.note_unanswered();
        if (answered.kind == answer::applied) {
            next = hand_over_step::handed;
        } else if (answered.kind == answer::refused) {
            next = decide_item_hand_over(answered.lock, session.id(), lock.grant.held, lock.open->id);
            // A guarded write that was in doubt was applied, if the item is a step further than we know.
            if (next == hand_over_step::again) lock.grant.held.step = answered.lock.writer->step;
        } else {
            if (answered.kind == answer::unanswered) {
                lock.note_unanswered();
                lock.callers.tell_release(failure(errc::in_doubt));
            } else if (answered.kind == answer::rejected) {
                lock.callers.fail_all(lock.or_doubt(answered.why), answered.sent_at);
            }
            co_await lock.pause_after(steps, failures++);
            continue;
        }
        seen = std::move(answered);
        if (next == hand_over_step::handed) {
            handed(lock, seen);
            co_return;
        }
        if (next == hand_over_step::lost && was_downgraded(lock, lock.grant.held, seen.lock)) {
            // What is left of it is a reader's, which goes to no writer.
            co_await release(lock, steps, seen, {});
            co_return;
        }
        if (next == hand_over_step::lost) {
            // A copy without an answer may have landed before others took what it brought.
            const bool doubtful = lock.open->unanswered;
            if (doubtful) {
                lock.forget_claim();
            } else {
                lock.close_claim(false);
            }
            lock.end_release(doubtful ? errc::in_doubt : errc::lock_lost);
            lock.rest();
            co_return;
        }
        if (next == hand_over_step::claim_closed) {
            lock.close_claim(false);
            lock.new_claim(seen.lock.floor);
        }
    }
    lock.drop();
}

}  // namespace

sequence<void> pass_item_on(item_lock_claimant& lock, stepper& steps, item_reply& seen) {
    const bool both_writers = lock.grant.held.access == item_access::exclusive && writer_waits(lock);
    const bool turn_of_others = lock.outlook.others_intend() && lock.hand_overs >= hand_overs_in_a_row;
    if (both_writers && !turn_of_others) return hand_over(lock, steps, seen);
    return release(lock, steps, seen, {});
}

}  // namespace dynalease::protocol
