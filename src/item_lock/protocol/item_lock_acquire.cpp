// Wanting an item until it is granted or nobody here wants it any more.
// SPDX-License-Identifier: BSL-1.0
#include "database/protocol/backoff.hpp"
#include "item_lock/protocol/item_lock_sequences.hpp"
#include "item_lock/protocol/item_take_over.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace dynalease::protocol {

using detail::answer;
using detail::shared_failure;
using phase = item_lock_claimant::phase;

namespace {

/// An item that was just seen in other hands is looked at before it is written to.
constexpr std::chrono::seconds recently{10};

bool claims(item_acquire_step step) {
    return step == item_acquire_step::take || step == item_acquire_step::intend;
}

/// Where claimants live by their texts, each intent has one of its own, which no grant of the claim will show again.
claim next_intent(item_lock_claimant& lock) {
    auto intent = lock.open->id;
    if (lock.session.plain()) intent.attempt = lock.session.next_attempt();
    lock.open->intended = true;
    lock.open->intended_at = lock.session.now();
    return intent;
}

/// The intent of a writer that waits lives by its text, as a grant does.
bool intent_must_show_life(const item_lock_claimant& lock, const item_lock_state& seen) {
    const auto* plain = lock.session.plain();
    return plain && seen.intended_by(lock.session.id()) &&
           lock.session.now() >= lock.open->intended_at + plain->times.period;
}

sequence<item_reply> carry_out(item_lock_claimant& lock, stepper& steps, const item_acquire_decision& next) {
    if (next.step == item_acquire_step::reap || next.step == item_acquire_step::free) return clear(lock, steps, next);
    if (!claims(next.step)) return lock.look(steps, false);
    auto request = next.step == item_acquire_step::take
                       ? lock.requests().take(lock.open->id, next.form, lock.item.most_readers)
                       : lock.requests().intend(next_intent(lock), next.form.intent);
    lock.stake();
    return lock.send(steps, std::move(request));
}

/// When the claim was surely not granted yet.
void note_absence(item_lock_claimant& lock, const item_reply& seen, bool taking) {
    const bool by_this = taking && seen.kind == answer::applied;
    const bool absent = by_this || !seen.lock.held_by(lock.session.id(), lock.open->id.attempt);
    if (was_answered(seen.kind) && absent) lock.note_absent(seen.sent_at);
}

/// @param why set where nothing was learnt of a claimant
sequence<item_acquire_decision> decide_next(item_lock_claimant& lock, stepper& steps, const item_reply& shown,
                                            shared_failure& why) {
    const auto& seen = shown.lock;
    lock.study(seen);
    while (lock.session.may_write() && lock.callers.wanted()) {
        const bool waits = lock.callers.waited_for();
        lock.wants = lock.callers.wish();
        const std::function<holder_is(const item_claimant&)> judged = [&](const item_claimant& who) {
            return lock.outlook.judge(who, waits, lock.callers.tries_until_known());
        };
        auto next = decide_item_acquire({.sight = seen,
                                         .self = lock.session.id(),
                                         .mine = lock.open->id,
                                         .access = lock.wants,
                                         .waits = waits,
                                         .insists = lock.outlook.insists(),
                                         .most_readers = lock.item.most_readers,
                                         .judge = judged,
                                         .fate = lock.fate_of_others(shown)});
        if (next.step == item_acquire_step::claim_closed) {
            lock.close_claim(false);
            ++lock.outrun;
            lock.new_claim(seen.floor);
        } else if (next.step == item_acquire_step::look) {
            look_step wanted{next.who.front()};
            auto looked = co_await asking(steps, std::move(wanted));
            if (looked.unseen) {
                why = std::make_shared<const failure>(*std::move(looked.unseen));
                break;
            }
        } else {
            if (next.step == item_acquire_step::poll && intent_must_show_life(lock, seen)) {
                next = {item_acquire_step::intend, {.intent = seen.intent->text}};
            }
            co_return next;
        }
    }
    co_return item_acquire_decision{item_acquire_step::poll};
}

/// The item has named our claim. @returns false if it turns out that it is not ours after all.
sequence<bool> granted(item_lock_claimant& lock, stepper& steps, item_reply& seen, bool taken_over, bool own_copy) {
    auto& session = lock.session;
    for (unsigned failures = 0; !seen.whole && session.may_write() && lock.callers.wanted(); ++failures) {
        auto again = co_await lock.look(steps, true);
        if (again.kind == answer::applied) {
            // The item may be gone meanwhile, and then there is nothing whole to be seen.
            seen = std::move(again);
            break;
        }
        if (again.kind == answer::rejected) lock.callers.fail_all(lock.or_doubt(again.why), again.sent_at);
        co_await lock.pause_after(steps, failures);
    }
    if (!seen.whole || !session.may_write() || !lock.open) co_return false;
    if (!seen.lock.held_by(session.id(), lock.open->id.attempt)) co_return false;
    lock.take_grant(seen.lock);
    lock.grant.known = *std::move(seen.whole);
    lock.hand_overs = 0;
    lock.refused_at.reset();
    if (taken_over) ++session.counters().take_overs;
    if (own_copy) ++session.counters().own_copies;
    lock.now = lock.grant_lives() && lock.serve() ? phase::held : phase::giving_back;
    co_return true;
}

shared_failure missing_item(const item_lock_claimant& lock) {
    failure missing(errc::missing);
    missing.details.table = lock.item.layout.table;
    missing.details.message = "there is no item of that key to lock";
    return std::make_shared<const failure>(std::move(missing));
}

}  // namespace

sequence<item_reply> clear(item_lock_claimant& lock, stepper& steps, const item_acquire_decision& next) {
    if (next.step == item_acquire_step::reap) return lock.send(steps, lock.requests().reap(next.who));
    auto request = lock.requests().release({.id = {.attempt = next.attempt}});
    request.returned = return_values::all_new;
    return lock.send(steps, std::move(request));
}

sequence<void> acquire_item(item_lock_claimant& lock, stepper& steps, item_reply& seen) {
    auto& session = lock.session;
    auto& callers = lock.callers;
    lock.put_off_audit();
    if (!lock.open) lock.new_claim(seen.lock.floor);
    if (callers.wanted()) lock.wants = callers.wish();
    item_acquire_decision next{item_acquire_step::take};
    next.form.access = lock.wants;
    if (lock.refused_at && session.now() - *lock.refused_at < recently) next.step = item_acquire_step::poll;
    lock.outlook.begin_wait();

    unsigned failures = 0;
    unsigned silent = 0;          // requests without an answer
    unsigned refused_writes = 0;  // in a row
    while (session.may_write() && callers.wanted()) {
        const bool claiming = claims(next.step);
        const bool taking = next.step == item_acquire_step::take;
        const bool taking_over = taking && (next.form.over_writer || !next.form.over_readers.empty());
        const auto from = taking_over ? taken_from(lock.session, seen.lock, next.form) : std::vector<std::string>();
        lock.open->under_way = claiming;
        seen = co_await carry_out(lock, steps, next);
        lock.open->under_way = false;
        next = {item_acquire_step::poll};
        if (!session.may_write()) break;
        if (claiming && (seen.kind == answer::unanswered || seen.doubtful)) lock.note_unanswered();
        note_absence(lock, seen, taking);
        if (taking && seen.kind == answer::applied) {
            tell_take_over(lock.session, lock.name, from);
            const bool ours = co_await granted(lock, steps, seen, taking_over, false);
            if (ours) co_return;
            continue;
        }
        if (seen.kind == answer::rejected) {
            callers.fail_all(lock.or_doubt(seen.why), seen.sent_at);
            continue;
        }
        if (seen.kind == answer::delayed && !lock.open->unanswered) {
            callers.fail_try_unheard(seen.why, seen.sent_at);
        }
        if (!was_answered(seen.kind)) {
            // What became of a try is asked for once.
            if (++silent > 1) callers.fail_try_unheard(lock.or_doubt(seen.why), seen.sent_at);
            co_await lock.pause_after(steps, failures++);
            continue;
        }
        failures = 0;
        const bool refused = seen.kind == answer::refused;
        if (refused) ++refused_writes;

        shared_failure why;
        next = co_await decide_next(lock, steps, seen, why);
        if (!claims(next.step)) refused_writes = 0;
        if (why && detail::classify(*why) == answer::rejected) {
            callers.fail_all(lock.or_doubt(why), seen.sent_at);
            continue;
        }
        if (why) {
            callers.fail_try_unheard(lock.or_doubt(why), seen.sent_at);
            co_await lock.pause(steps, detail::retry_pause(failures++, session.unit()));
            continue;
        }
        if (next.step == item_acquire_step::granted) {
            const bool ours = co_await granted(lock, steps, seen, false, true);
            if (ours) co_return;
            continue;
        }
        if (next.step == item_acquire_step::missing) {
            callers.fail_all(missing_item(lock), seen.sent_at);
            continue;  // with a look, for whoever came since
        }
        const bool falls_behind = claims(next.step) && refused_writes >= 2;
        if (falls_behind && refused) {
            // Others are faster: write no faster for that, and by a fresh sight.
            if (!callers.tries_until_known()) callers.fail_try(lock.or_doubt(nullptr), seen.sent_at);
            co_await lock.pause_after(steps, refused_writes - 2);
            next = {item_acquire_step::poll};
            continue;
        }
        if (falls_behind) {
            co_await lock.pause(steps, detail::out_of_step(session.now() - seen.sent_at, session.unit()));
        }
        const bool others_have_it = next.step == item_acquire_step::poll || next.step == item_acquire_step::refuse;
        if (others_have_it) lock.refused_at = session.now();
        if (others_have_it && !callers.try_came_after(seen.sent_at)) {
            const bool open = next.step == item_acquire_step::poll && lock.fate_of_others(seen) == item_fate::unknown;
            const auto asked = open ? lock.question() : std::nullopt;
            if (!asked) callers.fail_try(lock.or_doubt(nullptr), seen.sent_at);
            // Who only tries again does not wait for what was meant for those who wait.
            if (callers.wanted()) co_await lock.pause(steps, lock.time_to_next_look(seen.lock, asked));
        }
    }
    if (session.may_write()) {
        lock.give_up(seen.lock);
    } else {
        lock.drop();
    }
}

}  // namespace dynalease::protocol
