// Guarded writes: each exactly once, and only while the grant is in force.
// SPDX-License-Identifier: BSL-1.0
#include "database/protocol/backoff.hpp"
#include "item_lock/protocol/item_lock_sequences.hpp"

#include <utility>
#include <variant>

namespace dynalease::protocol {

using detail::answer;
using detail::shared_failure;
using fate = guarded_end::grant;

namespace {

shared_failure fault(errc code) {
    return std::make_shared<const failure>(code);
}

sequence<item_reply> send_copy(item_lock_claimant& lock, stepper& steps, const guarded_request& request) {
    return std::visit([&](auto copy) { return lock.send(steps, std::move(copy)); }, request);
}

/// Sends copies of one write until one is answered. What has no answer in time stays in doubt.
sequence<item_reply> send_until_known(item_lock_claimant& lock, stepper& steps, guarded_request request) {
    auto& session = lock.session;
    const auto begun = session.now();
    bool unanswered = false;
    item_reply seen;
    for (unsigned failures = 0; session.may_write(); ++failures) {
        seen = co_await send_copy(lock, steps, request);
        seen.doubtful = seen.doubtful || unanswered;
        seen.sent_at = begun;
        if (was_answered(seen.kind)) co_return seen;
        if (seen.kind == answer::rejected) {
            // It was cancelled, say. That does not call an earlier copy back.
            if (unanswered) break;
            co_return seen;
        }
        unanswered = unanswered || seen.kind == answer::unanswered;
        if (session.now() >= begun + resolve_within) break;
        co_await lock.pause(steps, detail::retry_pause(failures, session.unit()));
    }
    if (unanswered) seen = {.kind = answer::unanswered, .why = fault(errc::in_doubt)};
    if (!seen.why) seen.why = std::make_shared<const failure>(session.over_failure());
    co_return seen;
}

/// A guarded write was applied. Its grant may have run out since.
void stepped(item_lock_claimant& lock, const item_grant& held, const item_reply& seen) {
    if (!lock.holds(held)) return;
    ++lock.grant.held.step;
    lock.kept_on(seen.sent_at);
}

/// @param shown by the refusal @param undone the write was surely not made
guarded_end lost(const item_lock_state& shown, bool undone) {
    failure why(undone ? errc::lock_lost : errc::in_doubt);
    auto& words = why.details.message;
    words = shown.exists ? "the item's lock was lost" : "the item is gone, and its lock with it";
    if (!undone) words += "; it may have been after this write";
    return {.why = std::make_shared<const failure>(std::move(why)), .is = fate::lost};
}

}  // namespace

// ---- in the middle of a grant ------------------------------------------------------------------------------

sequence<void> change_item(item_lock_claimant& lock, stepper& steps, guarded_change what, guarded_end& end) {
    const auto& self = lock.session.id();
    const auto held = lock.grant.held;
    const auto before = known_version(lock);
    guarded_request request = lock.requests().change(held, what);
    auto seen = co_await send_until_known(lock, steps, std::move(request));
    auto is = guarded_step::applied;
    if (seen.kind == answer::refused) {
        is = decide_guarded(seen.lock, self, held);
    } else if (seen.kind != answer::applied) {
        end.why = seen.why;
        if (seen.kind != answer::unanswered) co_return;
        end.is = fate::doubtful;
        end.doubtful_step = held.step + 1;
        co_return;
    }
    const bool doubtful = seen.doubtful;
    const bool stamped = lock.item.versioned() && lock.item.layout.stamps;
    const auto refused = why_not(lock, seen, lock.item.versioned());
    if (is == guarded_step::condition_false && doubtful) {
        // The unanswered copy may yet find the condition true: an empty step closes it.
        what.update = {};
        what.condition = {};
        what.versioned = false;
        request = lock.requests().change(held, what);
        seen = co_await send_until_known(lock, steps, std::move(request));
        if (seen.kind == answer::applied) {
            stepped(lock, held, seen);
            end.why = refused;
            co_return;
        }
        if (seen.kind != answer::refused) {
            end = {.why = fault(errc::in_doubt), .is = fate::doubtful};
            co_return;
        }
        is = decide_guarded(seen.lock, self, held);
        if (is == guarded_step::applied && !remembers(lock, seen, what.stamp)) {
            // Either write may have taken the step, in a copy that had no answer, or that the network made. Only one of
            // them leaves a stamp.
            stepped(lock, held, seen);
            end.why = stamped ? refused : fault(errc::in_doubt);
            co_return;
        }
    }
    if (is == guarded_step::lost) {
        // A copy may have been applied before the item was lost: one without an answer, or one that the network made.
        const bool made = stamped && remembers(lock, seen, what.stamp);
        const bool undone = !doubtful && stamped && !made && surely_unwritten(lock, seen, before);
        end = lost(seen.lock, undone);
        co_return;
    }
    if (is == guarded_step::condition_false) {
        end.why = refused;
        co_return;
    }
    stepped(lock, held, seen);
    end.left = *std::move(seen.whole);
    if (lock.holds(held)) lock.grant.known = end.left;
}

sequence<void> downgrade_grant(item_lock_claimant& lock, stepper& steps, guarded_end& end) {
    const auto held = lock.grant.held;
    guarded_request request = lock.requests().downgrade(held);
    const auto seen = co_await send_until_known(lock, steps, std::move(request));
    if (!was_answered(seen.kind)) {
        end.why = seen.why;
        if (seen.kind != answer::unanswered) co_return;
        end.is = fate::doubtful;
        end.doubtful_step = held.step + 1;
        co_return;
    }
    const bool refused = seen.kind == answer::refused;
    const bool reads = refused && !seen.lock.writer && seen.lock.held_by(lock.session.id(), held.id.attempt);
    if (refused && !reads) {
        end = lost(seen.lock, true);
        co_return;
    }
    if (!lock.holds(held)) co_return;
    lock.grant.held.access = item_access::shared;
    lock.kept_on(seen.sent_at);
}

// ---- at its end --------------------------------------------------------------------------------------------

sequence<void> end_grant_with(item_lock_claimant& lock, stepper& steps, last_write last, guarded_end& end) {
    const auto before = known_version(lock);
    auto seen = co_await send_until_known(lock, steps, last.request);
    if (seen.kind == answer::applied || landed(lock, seen, last) || freed_by(lock, seen, last)) {
        end = {.left = std::move(seen.whole).value_or(item{}), .is = fate::ended};
        co_return;
    }
    if (seen.kind != answer::refused) {
        // The release closes what has no answer; it goes on in the background.
        end = {.why = seen.why, .is = fate::to_release};
        co_return;
    }
    const bool unanswered = seen.doubtful;
    if (!last.held.writes(seen.lock, lock.session.id())) {
        // The network may have repeated it: then a first copy took the lock off, and the refusal is of the second.
        const bool same_life = seen.lock.exists && last.held.born && seen.lock.born == last.held.born;
        const bool undone = last.erases ? same_life : last.stamp && surely_unwritten(lock, seen, before);
        end = lost(seen.lock, undone && !unanswered);
        co_return;
    }
    const auto refused = why_not(lock, seen, last.raises);
    // The release also closes a copy that has no answer.
    guarded_request release = lock.requests().release(last.held);
    auto released = co_await send_until_known(lock, steps, std::move(release));
    if (released.kind == answer::applied) {
        end = {.why = refused, .is = fate::ended};
        co_return;
    }
    released.doubtful = released.doubtful || unanswered;
    if (landed(lock, released, last)) {
        end = {.left = std::move(released.whole).value_or(item{}), .is = fate::ended};
        co_return;
    }
    end = {.why = unanswered ? fault(errc::in_doubt) : refused, .is = fate::to_release};
    if (released.kind != answer::refused) co_return;
    const bool freed = !last.held.writes(released.lock, lock.session.id()) && lock.holds_on(last.held) &&
                       freed_by_copy(lock, released.lock, last.held);
    end.is = freed ? fate::ended : fate::lost;
}

}  // namespace dynalease::protocol
