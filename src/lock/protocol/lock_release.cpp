// The end of a grant: to the next caller of this process, or back to the table.
// SPDX-License-Identifier: BSL-1.0
#include "lock/protocol/lock_decisions.hpp"
#include "lock/protocol/lock_sequences.hpp"
#include "session/protocol/session_words.hpp"

#include <optional>
#include <string>
#include <utility>

namespace dynalease::protocol {

using detail::answer;
using phase = lock_claimant::phase;

namespace {

/// Its row is not as our grant left it.
failure lost(lock_claimant& lock, const lock_row& row) {
    failure why(errc::lock_lost);
    auto& words = why.details.message;
    if (row.holder) {
        words = "its row names " + words_of_session(row.holder->session, &lock.session.watch(row.holder->session));
        if (row.holder->session == lock.session.id()) words += ", which is this one, by another grant";
    } else if (row.floor == 0) {
        words = "its row is gone: somebody deleted it";
    } else {
        words = "its row was edited: it names nobody";
    }
    lock.session.log(severity::error, "lock '" + lock.name + "' was lost before it was given back: " + words);
    return why;
}

/// @param unresolved a hand-over that may have landed: whichever of the two it is, is given back
sequence<void> release(lock_claimant& lock, lock_row& row, std::optional<claim> unresolved) {
    auto& session = lock.session;
    const bool rejoin = lock.others.others_wait && lock.callers.waited_for() && session.live();
    const auto expiry = lock.row_expiry();
    bool unanswered = false;
    unsigned failures = 0;
    while (session.may_write()) {
        auto request = lock.requests().release(lock.held, unresolved, rejoin, expiry);
        auto seen = co_await lock.send(std::move(request));
        if (was_answered(seen.kind)) {
            row = std::move(seen.row);
            const bool still_ours = row.held_by(session.id(), lock.held.attempt) ||
                                    (unresolved && row.held_by(session.id(), unresolved->attempt));
            if (still_ours) {
                co_await lock.pause_after(failures++);
                continue;
            }
            if (seen.doubtful && !std::exchange(unanswered, true)) ++session.counters().unknown_writes;
            // Nobody was granted the lock since: refused, an earlier copy did it, ours or one that the network made.
            const bool handed_over = unresolved && row.token == unresolved->token;
            const bool ours_was_last = row.token == lock.held.token || handed_over;
            const bool left_free = row.free() && ours_was_last;
            // Or somebody was, who could not take it from us, while we live: then our copy had freed it. A row that is
            // gone tells nothing.
            const bool gone = row.floor == 0;
            const bool by_copy = left_free || (unanswered && !gone && session.may_write());
            const bool released = seen.kind == answer::applied || by_copy;
            if (unanswered && released) ++session.counters().unknown_applied;
            if (released || !unanswered) {
                lock.close_claim(handed_over);
                lock.end_release(released ? failure() : lost(lock, row));
            } else {
                lock.forget_claim();
                lock.end_release(errc::in_doubt);
            }
            lock.rest();
            if (lock.now == phase::idle && row.place_of(session.id())) {
                // Those for whom we stood in line again have gone meanwhile.
                lock.new_claim(row.floor);
                lock.now = phase::resolving;
            }
            co_return;
        }
        if (seen.kind == answer::unanswered) {
            if (!std::exchange(unanswered, true)) ++session.counters().unknown_writes;
            lock.callers.tell_release(detail::in_doubt(seen.why->details));
        } else if (seen.kind == answer::rejected) {
            lock.callers.tell_release(*seen.why);
        }
        lock.callers.fail_try_unheard(detail::told_newcomer(seen.why), time_point::max());
        co_await lock.pause_after(failures++);
    }
    lock.drop();
}

void handed(lock_claimant& lock, const lock_row& row, item written) {
    const auto to = lock.open->id;
    lock.close_claim(true);
    lock.tokens.floor = lock.seen_floor = to.token;
    // Else it was given back to those who came for it and have gone: nobody here goes on with it.
    const bool handed_on = lock.wanted_with(written);
    if (handed_on) {
        lock.end_hand_over();
    } else {
        lock.end_release({});
    }
    // From the moment that others are seen in line, they are passed over a bounded number of times.
    lock.others.hand_overs = lock.others.others_wait ? lock.others.hand_overs + 1 : 0;
    lock.others.others_wait = !row.line.empty();
    lock.now = lock.serve(to, written) ? phase::held : phase::giving_back;
}

sequence<void> hand_over(lock_claimant& lock, lock_row& row) {
    auto& session = lock.session;
    lock.new_claim(row.floor);
    unsigned failures = 0;
    while (session.may_write()) {
        if (!lock.callers.wanted() || !session.live()) {
            const auto unresolved = lock.open->sent ? std::optional(lock.open->id) : std::nullopt;
            lock.open->for_nobody = true;
            co_await release(lock, row, unresolved);
            co_return;
        }
        // Of whoever is first now: one who was first before may have failed by it, or left.
        lock.open->data = lock.callers.data();
        lock.stake();
        auto request = lock.requests().hand_over(lock.held, lock.open->id, {lock.open->data, session.wall()});
        auto seen = co_await lock.send(std::move(request));
        lock.open->under_way = false;
        auto next = hand_over_step::again;
        if (seen.doubtful) lock.note_unanswered();
        if (seen.kind == answer::applied) {
            next = hand_over_step::handed;
        } else if (seen.kind == answer::refused) {
            next = decide_hand_over(seen.row, session.id(), lock.held, lock.open->id);
        } else if (seen.kind == answer::rejected) {
            lock.fail_rejected(seen);
            continue;
        } else {
            // A try waits for no second silence, and for nothing that passes.
            if (seen.kind == answer::delayed || lock.open->unanswered) lock.fail_try(seen.why);
            if (seen.kind == answer::unanswered) {
                lock.note_unanswered();
                lock.callers.tell_release(detail::in_doubt(seen.why->details));
            }
            co_await lock.pause_after(failures++);
            continue;
        }
        row = std::move(seen.row);
        if (next == hand_over_step::handed) {
            handed(lock, row, seen.kind == answer::applied ? std::move(lock.open->data) : std::move(row.data));
            co_return;
        }
        if (next == hand_over_step::lost) {
            // A copy without an answer may have landed before others took what it brought.
            if (lock.open->unanswered) {
                lock.forget_claim();
                lock.end_release(errc::in_doubt);
            } else {
                lock.close_claim(false);
                lock.end_release(lost(lock, row));
            }
            lock.rest();
            co_return;
        }
        if (next == hand_over_step::claim_closed) {
            lock.close_claim(false);
            lock.new_claim(row.floor);
        } else if (next == hand_over_step::again) {
            co_await lock.pause_after(failures++);
        }
    }
    lock.drop();
}

}  // namespace

sequence<void> pass_lock_on(lock_claimant& lock, lock_row& row) {
    const bool turn_of_others = lock.others.others_wait && lock.others.hand_overs >= hand_overs_in_a_row;
    if (lock.callers.wanted() && lock.session.live() && !turn_of_others) return hand_over(lock, row);
    return release(lock, row, {});
}

}  // namespace dynalease::protocol
