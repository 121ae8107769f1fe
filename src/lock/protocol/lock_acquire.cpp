// Wanting a lock until it is granted or nobody here wants it any more.
// SPDX-License-Identifier: BSL-1.0
#include "database/protocol/backoff.hpp"
#include "lock/protocol/lock_decisions.hpp"
#include "lock/protocol/lock_sequences.hpp"
#include "session/protocol/session_words.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::protocol {

using detail::answer;
using detail::shared_failure;

namespace {

/// A lock that was just seen in other hands is looked at before it is written to.
constexpr std::chrono::seconds recently{10};
/// Of the writes, in a row, of one who tries until the holder is known: what stands there is then not what it seems.
constexpr unsigned refusals_until_known = 10;

/// When it pays to look at the holder's session. @param row held
time_point next_look(lock_claimant& lock, const lock_row& row) {
    const auto& watch = lock.session.watch(row.holder->session);
    const auto since = lock.callers.tries_until_known();
    // Who waits for nothing else looks at once, and as often as if he were alone.
    if (since && (!watch.looked_at() || watch.last_look() < *since)) return *since;
    return watch.next_look(lock.sighted().holder_since, since ? 1 : row.line.size());
}

holder_is judge_holder(lock_claimant& lock, const lock_row& row, bool waits) {
    if (row.free()) return holder_is::over;
    const auto& watch = lock.session.watch(row.holder->session);
    if (watch.over()) return holder_is::over;
    if (!waits && !watch.looked_at()) return holder_is::not_known;
    return lock.session.now() >= next_look(lock, row) ? holder_is::not_known : holder_is::alive;
}

holder_fate fate_of_holder(lock_claimant& lock, const lock_row& row) {
    const auto since = lock.callers.tries_until_known();
    if (!since) return holder_fate::not_asked;
    auto& first = lock.sighted().first;
    if (!first || first->since != *since) first = first_sight{*since, row.holder, row.token};
    return judge_fate(*first, row, row.free() ? nullptr : &lock.session.watch(row.holder->session));
}

std::chrono::nanoseconds time_to_next_look(lock_claimant& lock, const lock_row& row, acquire_step step) {
    const auto unit = lock.session.unit();
    if (step == acquire_step::overflow) return overflow_interval(unit);
    const std::size_t served_now = row.free() ? 1 : 0;
    const auto waiting = std::max(row.line.size(), served_now + 1) - served_now;
    const auto interval = poll_interval(waiting, lock.poll_interval, unit);
    if (row.free()) return interval;
    // Who waits behind one that asks for the holder keeps the pace of all who wait.
    const bool asks_for_holder = step == acquire_step::poll && lock.callers.tries_until_known();
    if (asks_for_holder && !lock.callers.waited_for()) return next_look(lock, row) - lock.session.now();
    // Otherwise the holder is watched in passing; but exactly when its lease is up it can be told whether it is over.
    const auto& watch = lock.session.watch(row.holder->session);
    const auto lease_left = watch.lease_end() - lock.session.now();
    if (!watch.looked_at() || lease_left <= std::chrono::nanoseconds::zero()) return interval;
    return std::min(interval, lease_left);
}

bool writes(acquire_step step) {
    return step == acquire_step::take || step == acquire_step::join;
}

lock_exchange carry_out(lock_claimant& lock, const acquire_decision& next) {
    if (!writes(next.step)) return lock.look();
    if (next.step == acquire_step::take) lock.open->data = lock.callers.data();
    lock.stake();
    if (next.step == acquire_step::join) return lock.send(lock.requests().join(lock.open->id));
    return lock.send(
        lock.requests().take(lock.open->id, next.form, {lock.open->data, lock.session.wall()}, lock.seen_floor));
}

void miss_answer(lock_claimant& lock, const lock_reply& seen, acquire_step sent) {
    if (seen.kind == answer::rejected) {
        sent == acquire_step::take ? lock.fail_rejected(seen) : lock.fail_all(seen.why, seen);
    } else if (seen.kind == answer::unanswered && writes(sent)) {
        // A try waits for no second answer; but where it may have been granted it looks once.
        lock.note_unanswered();
    } else {
        lock.fail_try(seen.why);
    }
}

/// @param why set where nothing was learnt of the holder
sequence<acquire_decision> decide_next(lock_claimant& lock, const lock_row& row, shared_failure& why) {
    auto& others = lock.sighted();
    if (row.floor < std::exchange(lock.seen_floor, row.floor)) {
        // The row was removed, perhaps with its table: a claim from before may bring a token below one granted since.
        // Copies of it that still land are closed by the greater token of the new one.
        lock.close_claim(false);
        lock.new_claim(row.floor);
    }
    if (others.holder != row.holder) {
        others.holder = row.holder;
        others.holder_since = lock.session.now();
        others.holder_data = row.data;
    }
    others.holder_last_seen = lock.session.now();
    others.in_line = row.line.size() - (row.place_of(lock.session.id()) ? 1 : 0);
    while (lock.session.may_write()) {
        const bool waits = lock.callers.waited_for();
        const auto holder = judge_holder(lock, row, waits);
        const bool available = row.free() || row.holder->session == lock.session.id() || holder == holder_is::over;
        const bool head_absent = others.head.sight(row, available, lock.session.now());
        auto next = decide_acquire({.row = row,
                                    .self = lock.session.id(),
                                    .mine = lock.open->id,
                                    .waits = waits,
                                    .holder = holder,
                                    .head_absent = head_absent,
                                    .fate = fate_of_holder(lock, row)});
        if (next.step == acquire_step::twin) {
            lock.session.lose("another process uses this session's id");
        } else if (next.step == acquire_step::claim_closed) {
            lock.close_claim(false);
            lock.new_claim(row.floor, token_lead(lock.others.refusals));
        } else if (next.step != acquire_step::look) {
            co_return next;
        } else if (!lock.callers.wanted()) {
            break;
        } else {
            look_step wanted{row.holder->session};
            auto looked = co_await asking(*lock.steps, std::move(wanted));
            if (looked.unseen) {
                why = std::make_shared<const failure>(*std::move(looked.unseen));
                break;
            }
        }
    }
    co_return acquire_decision{acquire_step::poll};
}

/// What a former claim of our own had left there is no other's loss.
void tell_take_over(lock_claimant& lock, const lock_holder& from) {
    if (from.session == lock.session.id()) return;
    lock.session.log(severity::info, "lock '" + lock.name + "': taken over from " +
                                         words_of_session(from.session, &lock.session.watch(from.session)) +
                                         ", which is over");
}

void give_up(lock_claimant& lock, const lock_row& row) {
    const auto next = decide_give_up({.row = row,
                                      .self = lock.session.id(),
                                      .mine = lock.open->id,
                                      .sent = lock.open->sent,
                                      .unanswered = lock.open->unanswered});
    if (next == give_up_step::resolve) {
        lock.now = lock_claimant::phase::resolving;
        return;
    }
    lock.now = lock_claimant::phase::idle;
    if (next == give_up_step::audit) {
        if (!std::exchange(lock.open->audited, true)) lock.callers.audit_later();
    } else {
        lock.close_claim(false);
    }
}

}  // namespace

sequence<void> acquire_lock(lock_claimant& lock, lock_row& row) {
    auto& session = lock.session;
    auto& others = lock.others;
    if (!lock.open) lock.new_claim(row.floor);
    acquire_decision next{acquire_step::take};
    if (row.place_of(session.id())) {
        // We have just let others go first: leave them the time to.
        co_await lock.pause(time_to_next_look(lock, row, acquire_step::poll));
        next.step = acquire_step::poll;
    } else if (others.refused_at && session.now() - *others.refused_at < recently) {
        next.step = acquire_step::poll;
    }

    unsigned failures = 0;
    unsigned refused_writes = 0;  // in a row
    while (session.may_write() && lock.callers.wanted()) {
        const auto sent = next.step;
        const auto over = sent == acquire_step::take ? next.form.over : std::nullopt;
        auto seen = co_await carry_out(lock, next);
        if (lock.open) lock.open->under_way = false;
        next = {acquire_step::poll};
        if (!session.may_write()) break;
        if (sent == acquire_step::take && seen.kind == answer::applied) {
            if (over) tell_take_over(lock, *over);
            lock.granted(over.has_value(), false, std::move(lock.open->data));
            co_return;
        }
        if (!was_answered(seen.kind)) {
            miss_answer(lock, seen, sent);
            if (seen.kind != answer::rejected) co_await lock.pause_after(failures++);
            continue;
        }
        failures = 0;
        if (seen.doubtful) lock.note_unanswered();
        const bool closed = seen.row.floor >= lock.open->id.token;
        if (sent == acquire_step::join && !closed && seen.row.place_of(session.id()).value_or(0) > 0) {
            // Those before us were here first: leave them one look's time, even if the lock stands free.
            row = std::move(seen.row);
            others.refusals = refused_writes = 0;
            if (!lock.callers.tries_until_known()) lock.refuse_try(seen);
            if (lock.callers.try_came_after(seen.sent_at)) continue;
            co_await lock.pause(time_to_next_look(lock, row, acquire_step::poll));
            continue;
        }

        const bool refused = seen.kind == answer::refused;
        if (refused) {
            ++others.refusals;
            ++refused_writes;
        }
        row = std::move(seen.row);
        shared_failure why;
        next = co_await decide_next(lock, row, why);
        if (!session.may_write()) break;
        if (!writes(next.step)) others.refusals = refused_writes = 0;
        if (why && detail::classify(*why) == answer::rejected) {
            lock.fail_all(why, seen);
            continue;  // with a look, for whoever came since
        }
        if (why) {
            lock.fail_try(why);
            co_await lock.pause_after(failures++);
            continue;
        }
        if (next.step == acquire_step::granted) {
            lock.granted(false, true, std::move(row.data));
            co_return;
        }
        const bool falls_behind = writes(next.step) && refused_writes >= 2;
        if (falls_behind && refused) {
            // Others are faster, or the row is not what it seems: write no faster for that, and by a fresh sight.
            const bool asks_on = lock.callers.tries_until_known() && refused_writes < refusals_until_known;
            if (!asks_on) lock.refuse_try(seen);
            co_await lock.pause_after(refused_writes - 2);
            next = {acquire_step::poll};
            continue;
        }
        if (falls_behind) co_await lock.pause(detail::out_of_step(session.now() - seen.sent_at, session.unit()));
        if (next.step == acquire_step::take) continue;
        if (!row.free()) others.refused_at = session.now();
        const bool goes_on = next.step != acquire_step::refuse && lock.callers.tries_until_known();
        if (!goes_on) lock.refuse_try(seen);
        if (next.step != acquire_step::join && next.step != acquire_step::refuse) {
            co_await lock.pause(time_to_next_look(lock, row, next.step));
        }
    }
    if (session.may_write()) {
        give_up(lock, row);
    } else {
        lock.drop();
    }
}

}  // namespace dynalease::protocol
