// Wanting an item until it is granted or nobody here wants it any more; then resolving what is still out there.
// SPDX-License-Identifier: BSL-1.0
#include "item_lock/item_lock_impl.hpp"

#include "database/protocol/backoff.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::detail {

using protocol::item_access;
using protocol::item_acquire_decision;
using protocol::item_acquire_step;

boost::asio::awaitable<void> item_lock_impl::want(sighting& seen) {
    put_off_audit();
    if (!claim_) claim_ = open_claim{next_claim(seen.lock.floor)};
    item_acquire_decision next{item_acquire_step::take};
    next.form.access = wants_ = first_waiter() ? first_waiter()->wish : wants_;
    outlook_.begin_wait();

    unsigned failures = 0;
    unsigned silent = 0;  // requests without an answer
    while (core_.may_write() && wanted()) {
        const bool taking = next.step == item_acquire_step::take;
        const bool claims = taking || next.step == item_acquire_step::intend;
        const bool taking_over = taking && (next.form.over_writer || !next.form.over_readers.empty());
        seen = co_await carry_out(std::move(next));
        next = item_acquire_decision{item_acquire_step::poll};
        if (!core_.may_write()) break;
        if (claims && (seen.kind == answer::unanswered || seen.doubtful)) note_unanswered();
        note_absence(seen, taking);
        if (taking && seen.kind == answer::applied) {
            const bool ours = co_await granted(seen, taking_over, false);
            if (ours) co_return;
            continue;
        }
        if (seen.kind == answer::rejected) {
            fail_waiters(or_doubt(seen.why), seen.sent_at);
            continue;
        }
        if (seen.kind == answer::delayed && !claim_->unanswered) fail_try(seen.why, seen.sent_at);
        if (seen.kind == answer::unanswered || seen.kind == answer::delayed) {
            // What became of a try is asked for once.
            if (++silent > 1) fail_try(or_doubt(seen.why), seen.sent_at);
            co_await retry_later(failures++);
            continue;
        }
        failures = 0;

        shared_failure why;
        next = co_await next_step(seen.lock, why);
        if (why && classify(*why) == answer::rejected) {
            fail_waiters(or_doubt(why), seen.sent_at);
            continue;
        }
        if (why) {
            fail_try(or_doubt(why), seen.sent_at);
            co_await pause(retry_pause(failures++));
            continue;
        }
        if (next.step == item_acquire_step::granted) {
            const bool ours = co_await granted(seen, false, true);
            if (ours) co_return;
            continue;
        }
        if (next.step == item_acquire_step::missing) {
            failure missing(errc::missing);
            missing.details.table = place_.layout.table;
            missing.details.message = "there is no item of that key to lock";
            fail_waiters(std::make_shared<const failure>(std::move(missing)), seen.sent_at);
            continue;  // with a look, for whoever came since
        }
        const bool others_have_it = next.step == item_acquire_step::poll || next.step == item_acquire_step::refuse;
        if (others_have_it && !try_came_after(seen.sent_at)) {
            fail_try(or_doubt(nullptr), seen.sent_at);
            co_await pause(outlook_.time_to_next_look(seen.lock));
        }
    }
    if (core_.may_write()) {
        give_up(seen.lock);
    } else {
        drop();
    }
}

boost::asio::awaitable<item_lock_impl::sighting> item_lock_impl::carry_out(item_acquire_decision step) {
    update_item_request request;
    switch (step.step) {
        case item_acquire_step::take:
            request = requests().take(claim_->id, step.form, place_.options.most_readers);
            break;
        case item_acquire_step::intend:
            request = requests().intend(next_intent(), step.form.intent);
            break;
        case item_acquire_step::reap:
            request = requests().reap(step.who);
            break;
        case item_acquire_step::free:
            request = requests().release({.id = {.attempt = step.attempt}});
            request.returned = return_values::all_new;
            break;
        default:
            co_return co_await look(false);
    }
    const bool claims = step.step == item_acquire_step::take || step.step == item_acquire_step::intend;
    if (claims) note_sent();
    writing_ = claims;
    auto seen = co_await send(std::move(request));
    writing_ = false;
    co_return seen;
}

boost::asio::awaitable<item_acquire_decision> item_lock_impl::next_step(const protocol::item_lock_state& lock,
                                                                        shared_failure& why) {
    study(lock);
    while (core_.may_write() && wanted()) {
        const bool waits = waited_for();
        wants_ = first_waiter()->wish;
        const std::function<protocol::holder_is(const protocol::item_claimant&)> judged =
            [&](const protocol::item_claimant& who) { return outlook_.judge(who, waits); };
        auto next = protocol::decide_item_acquire({.sight = lock,
                                                   .self = core_.id(),
                                                   .mine = claim_->id,
                                                   .access = wants_,
                                                   .waits = waits,
                                                   .insists = outlook_.insists(),
                                                   .most_readers = place_.options.most_readers,
                                                   .judge = judged});
        if (next.step == item_acquire_step::claim_closed) {
            close_claim(false);
            claim_ = open_claim{next_claim(lock.floor)};
        } else if (next.step == item_acquire_step::look) {
            auto failed = co_await core_.remotes().look(next.who.front());
            if (failed) {
                why = std::make_shared<const failure>(*std::move(failed));
                break;
            }
        } else {
            if (next.step == item_acquire_step::poll && intent_must_show_life(lock)) {
                next = {item_acquire_step::intend, {.intent = lock.intent->text}};
            }
            co_return next;
        }
    }
    co_return item_acquire_decision{item_acquire_step::poll};
}

/// Where claimants live by their texts, each intent has one of its own, which no grant of the claim will show again.
protocol::claim item_lock_impl::next_intent() {
    auto intent = claim_->id;
    if (core_.plain()) intent.attempt = core_.next_attempt();
    claim_->intended = true;
    claim_->intended_at = core_.now();
    return intent;
}

void item_lock_impl::note_sent() {
    if (!std::exchange(claim_->sent, true)) claim_->absent_at = core_.now();
    claim_->sent_at = core_.now();
}

void item_lock_impl::note_absent(dynalease::time_point sent) {
    if (claim_) claim_->absent_at = std::max(claim_->absent_at, sent);
}

/// When the claim was surely not granted yet.
void item_lock_impl::note_absence(const sighting& seen, bool taking) {
    const bool by_this = taking && seen.kind == answer::applied;
    if (was_answered(seen.kind) && (by_this || !seen.lock.held_by(core_.id(), claim_->id.attempt)))
        note_absent(seen.sent_at);
}

/// For somebody here who waits.
void item_lock_impl::study(const protocol::item_lock_state& lock) {
    floor_ = std::max(floor_, lock.floor);
    outlook_.study(lock);
}

void item_lock_impl::take_grant(const protocol::item_lock_state& lock) {
    const auto* entry = lock.held_by(core_.id(), claim_->id.attempt);
    const bool as_writer = lock.writer && entry == &*lock.writer;
    grant_ = {.id = claim_->id,
              .access = as_writer ? item_access::exclusive : item_access::shared,
              .step = entry->step,
              .born = lock.born,
              .ghosts = protocol::forgotten_readers(lock, core_.id(), claim_->id.attempt)};
    floor_ = std::max(floor_, grant_.id.token);
    kept(claim_->absent_at);
    close_claim(true);
}

/// @returns false if it turns out that the item is not ours after all.
boost::asio::awaitable<bool> item_lock_impl::granted(sighting& seen, bool taken_over, bool own_copy) {
    for (unsigned failures = 0; !seen.whole && core_.may_write() && wanted(); ++failures) {
        auto again = co_await look(true);
        if (again.kind == answer::applied) {
            // The item may be gone meanwhile, and then there is nothing whole to be seen.
            seen = std::move(again);
            break;
        }
        if (again.kind == answer::rejected) fail_waiters(or_doubt(again.why), again.sent_at);
        co_await retry_later(failures);
    }
    if (!seen.whole || !core_.may_write() || !claim_) co_return false;
    if (!seen.lock.held_by(core_.id(), claim_->id.attempt)) co_return false;
    take_grant(seen.lock);
    known_ = *std::move(seen.whole);
    hand_overs_ = 0;
    if (taken_over) ++core_.counters().take_overs;
    if (own_copy) ++core_.counters().own_copies;
    phase_ = grant_lives() && serve() ? phase::held : phase::giving_back;
    co_return true;
}

boost::asio::awaitable<void> item_lock_impl::resolve(sighting& seen) {
    using protocol::item_resolve_step;
    // An answer that shows nothing does not show that there is no item.
    if (!was_answered(seen.kind)) seen.lock.exists = true;
    ++core_.counters().resolving;
    bool closed = claim_->closed;
    bool done = false;
    unsigned failures = 0;
    while (core_.may_write() && !done) {
        if (!closed && wanted() && core_.live()) break;  // the claim is still good for those who came
        const auto next = protocol::decide_item_resolve(seen.lock, core_.id(), claim_->id, closed);
        update_item_request request;
        switch (next) {
            case item_resolve_step::done:
                done = true;
                continue;
            case item_resolve_step::release:
                take_grant(seen.lock);
                phase_ = phase::giving_back;
                --core_.counters().resolving;
                co_return;
            case item_resolve_step::leave:
                request = requests().leave(claim_->id, seen.lock.intent->text);
                break;
            case item_resolve_step::leave_closed:
                request = requests().leave_closed(seen.lock.intent->text);
                break;
            case item_resolve_step::close:
                request = requests().close(claim_->id);
                break;
        }
        auto answered = co_await send(std::move(request));
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
                core_.log(severity::error, "item '" + name_ + "': a given-up claim cannot be closed yet: " +
                                               answered.why->code.message());
            }
            co_await retry_later(failures++);
        }
    }
    --core_.counters().resolving;
    if (!core_.may_write()) {
        drop();
        co_return;
    }
    if (done) close_claim(false);
    rest();
}

boost::asio::awaitable<void> item_lock_impl::audit(sighting& seen) {
    auto found = co_await look(false);
    if (!core_.may_write()) {
        drop();
        co_return;
    }
    // Nobody here has it: what stands there under our name is a copy, of this claim or of an older one.
    if (was_answered(found.kind)) unlanded_.reset();
    const auto* ghost = found.kind == answer::applied ? found.lock.entry_of(core_.id()) : nullptr;
    if (ghost) {
        claim_->id.attempt = ghost->attempt;
        claim_->closed = true;
        seen = std::move(found);
        phase_ = phase::resolving;
    } else if (wanted()) {
        phase_ = phase::wanting;
    } else if (was_answered(found.kind) || core_.plain()) {
        claim_.reset();
        phase_ = phase::idle;
    } else {
        // What may have landed would stay for as long as the session does: ask once more, as late again.
        claim_->sent_at = core_.now();
        phase_ = phase::idle;
        core_.idle().audit_later(shared_from_this());
    }
}

}  // namespace dynalease::detail
