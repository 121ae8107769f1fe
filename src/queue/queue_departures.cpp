// The ends of tickets: each goes on until it is known to be done.
// SPDX-License-Identifier: BSL-1.0
#include "queue/queue_departures.hpp"

#include "queue/queue_impl.hpp"

#include <functional>
#include <utility>

namespace dynalease::detail {

void queue_departures::leave(const std::shared_ptr<queue_hold>& hold) {
    here_.leaving.push_back(hold);
    if (core_.may_write() && front_.start(give_turn_back(front_.self(), hold))) return;
    has_left(hold);
    hold->finish(core_.over_failure());
}

void queue_departures::has_left(const std::shared_ptr<queue_hold>& hold) {
    std::erase_if(here_.leaving, [&](const auto& each) { return each.lock() == hold; });
}

void queue_departures::tell_left(queue_hold& hold) {
    if (!hold.wanted()) return;
    ++(hold.handed_over() ? core_.counters().hand_overs : core_.counters().released);
    if (hold.handed_over()) hold.ends_by(grant_event::handed_over);
}

boost::asio::awaitable<void> queue_departures::give_turn_back([[maybe_unused]] queue_target self,
                                                              std::shared_ptr<queue_hold> hold) {
    using protocol::leave_step;
    const auto mine = hold->mine();
    const auto turn = core_.now() - hold->granted_at();
    bool others_wait = false;
    bool unanswered = false;
    unsigned failures = 0;
    const std::function<bool()> may_write = [this] { return core_.may_write(); };
    while (may_write() && view_.counts(*hold->ticket())) {
        const auto over = protocol::over_with(mine, view_.places().voids);
        hold->passes(over.back().ticket);
        const auto pace = protocol::smoothed_pace(view_.head()->pace, turn);
        const bool idle = !others_wait && view_.head()->tail == over.back().ticket;
        auto request =
            idle ? view_.requests().leave_idle(over, pace, view_.idle_expiry()) : view_.requests().leave(over, pace);
        const auto seen = co_await view_.send(std::move(request));
        if (seen.kind == answer::unanswered || seen.kind == answer::delayed || seen.kind == answer::rejected) {
            if (seen.kind == answer::unanswered || seen.doubtful) {
                if (!std::exchange(unanswered, true)) ++core_.counters().unknown_writes;
                hold->tell(seen.why ? in_doubt(seen.why->details) : failure(errc::in_doubt));
            } else if (seen.kind == answer::rejected) {
                hold->tell(*seen.why);
            }
            co_await view_.look_after(failures, may_write);
            continue;
        }
        if (seen.doubtful && !std::exchange(unanswered, true)) ++core_.counters().unknown_writes;
        const auto next = protocol::decide_leave({.applied = seen.kind == answer::applied,
                                                  .head = seen.head ? &*seen.head : nullptr,
                                                  .mine = mine,
                                                  .unanswered = unanswered,
                                                  .held = hold->is_protected() && view_.counts(*hold->ticket())});
        if (next == leave_step::again) {
            others_wait = true;
            continue;
        }
        has_left(hold);
        const bool done = next == leave_step::done;
        if (unanswered && done) ++core_.counters().unknown_applied;
        if (done) tell_left(*hold);
        if (next == leave_step::lost) {
            const bool passed = seen.head && seen.head->passed >= mine.ticket;
            hold->finish(turn_lost(passed      ? "others passed it over"
                                   : seen.head ? "the queue is as it was before"
                                               : "its queue's row is gone: somebody deleted it"));
        } else {
            hold->finish(done ? failure() : failure(errc::in_doubt));
        }
        for (const auto& each : over) {
            // An earlier copy may have done less than this one asked for.
            const bool passed = each.ticket <= view_.head()->passed;
            if (passed && (each.ticket != mine.ticket || hold->ticket()->row_sent)) leftovers_.discard(each.ticket);
        }
        if (done && !idle) mover_.after_moving();
        watch_.begin();
        co_return;
    }
    has_left(hold);
    hold->finish(core_.may_write() ? turn_lost("the queue is as it was before") : core_.over_failure());
    // The queue is as it was before; so may be our row.
    if (core_.may_write()) withdraw(hold->ticket());
    watch_.begin();
}

failure queue_departures::turn_lost(std::string_view why) const {
    failure lost(errc::lock_lost);
    lost.details.message = why;
    core_.log(severity::error, "a turn in queue '" + front_.name() + "' was lost: " + lost.details.message);
    return lost;
}

// ---- giving up a place -------------------------------------------------------------------------------------

void queue_departures::withdraw(std::shared_ptr<drawn_ticket> ticket) {
    if (ticket->known() || ticket->unanswered) front_.start(give_place_up(front_.self(), std::move(ticket)));
}

boost::asio::awaitable<void> queue_departures::give_place_up(queue_target self, std::shared_ptr<drawn_ticket> ticket) {
    using protocol::cancel_step;
    ++core_.counters().resolving;
    here_.drawn.begin_withdrawing();
    std::optional<std::uint64_t> voided_in;  // which of the queue's beginnings
    unsigned failures = 0;
    // As long as no row names its owner, only a look tells whether the number is still ours.
    bool looked = ticket->row_known;
    const std::function<bool()> may_write = [this] { return core_.may_write(); };
    while (may_write()) {
        const auto mine = ticket->known() ? std::optional(ticket->mine) : std::nullopt;
        const auto next = protocol::decide_cancel({.mine = mine,
                                                   .unanswered = ticket->unanswered,
                                                   .voided = voided_in == view_.head().began(),
                                                   .head = *view_.head()});
        if (next == cancel_step::done) break;
        auto answered = answer::delayed;
        if (next == cancel_step::ask || (next == cancel_step::give_up && !looked)) {
            const auto seen = co_await view_.look();
            answered = seen.kind;
            looked = was_answered(answered);
            const bool ours = seen.head && seen.head->last == ticket->attempt;
            if (ours && !ticket->known()) {
                ticket->mine = protocol::last_place(*seen.head);
                ticket->drawn_at = seen.sight;
            }
            // Where others drew tickets after it, it is not known which is ours: they bury it when its turn comes.
            if (looked && next == cancel_step::ask) {
                ticket->unanswered = false;
                ++(ours ? core_.counters().unknown_applied : core_.counters().unknown_void);
            }
        } else if (next == cancel_step::give_up) {
            // In a queue that is as it was before, which may not be known yet, the number may be another's, and only
            // our own row tells that it is not.
            const auto began = view_.head().began();
            const bool may_be_unwritten = !ticket->row_known && view_.counts(*ticket);
            auto request = may_be_unwritten ? view_.requests().cancel(ticket->mine, ticket->attempt)
                                            : view_.requests().cancel_written(ticket->mine, ticket->attempt);
            const auto seen = co_await view_.put(std::move(request));
            answered = seen.kind;
            const bool is_void = answered == answer::applied || (seen.found && seen.found->is_void);
            if (answered == answer::refused && !is_void) break;
            if (is_void) voided_in = began;
            if (voided_in == view_.head().began() && view_.head()->passed < ticket->mine.ticket) {
                view_.places().voids[ticket->mine.ticket] = ticket->mine;
                watch_.found_gone(ticket->mine.ticket);
            }
            // A row in the way that is no row of ours stays where it is, whoever it keeps waiting.
            if (answered == answer::rejected && condition_of(seen.why->code) == condition::misconfigured) {
                core_.log(severity::error,
                          "queue '" + front_.name() + "': a ticket cannot be given up: " + seen.why->code.message());
                break;
            }
        } else {
            const auto over = protocol::over_with(ticket->mine, view_.places().voids);
            auto request = view_.requests().pass(over);
            const auto seen = co_await view_.send(std::move(request));
            answered = seen.kind;
            if (answered == answer::applied) {
                for (const auto& each : over) leftovers_.discard(each.ticket);
                mover_.after_moving();
            }
            // Refused, the turn is still with the one before, who passes us when it ends.
            if (was_answered(answered)) break;
        }
        if (!was_answered(answered)) {
            co_await view_.look_after(failures, may_write);
            looked = true;
        }
    }
    here_.drawn.end_withdrawing();
    --core_.counters().resolving;
    watch_.begin();
    if (voided_in == view_.head().began() && core_.may_write()) co_await mover_.after_giving_up(self);
}

}  // namespace dynalease::detail
