// The ends of a ticket: a turn is left, runs out, or a place is given up. Each goes on until it is known to be done.
// SPDX-License-Identifier: BSL-1.0
#include "queue/queue_impl.hpp"

#include <utility>

namespace dynalease::detail {

void queue_impl::leave(const std::shared_ptr<queue_hold>& hold) {
    end_turn(hold);
    turn_.leaving.push_back(hold);
    if (core_.may_write() && start(give_turn_back(self(), hold))) return;
    has_left(hold);
    hold->finish(core_.over_failure());
}

void queue_impl::has_left(const std::shared_ptr<queue_hold>& hold) {
    std::erase_if(turn_.leaving, [&](const auto& each) { return each.lock() == hold; });
}

void queue_impl::tell_left(queue_hold& hold) {
    if (!hold.wanted()) return;
    ++(hold.handed_over() ? core_.counters().hand_overs : core_.counters().released);
    if (hold.handed_over()) hold.ends_by(grant_event::handed_over);
}

boost::asio::awaitable<void> queue_impl::give_turn_back([[maybe_unused]] queue_target self,
                                                        std::shared_ptr<queue_hold> hold) {
    using protocol::leave_step;
    const auto mine = hold->mine();
    const auto turn = core_.now() - hold->granted_at();
    bool others_wait = false;
    bool unanswered = false;
    unsigned failures = 0;
    while (core_.may_write() && counts(*hold->ticket())) {
        const auto over = protocol::over_with(mine, places_.voids);
        hold->passes(over.back().ticket);
        const auto pace = protocol::smoothed_pace(head_->pace, turn);
        const bool idle = !others_wait && head_->tail == over.back().ticket;
        auto request = idle ? requests().leave_idle(over, pace, expiry()) : requests().leave(over, pace);
        const auto seen = co_await send(std::move(request));
        if (seen.kind == answer::unanswered || seen.kind == answer::delayed || seen.kind == answer::rejected) {
            if (seen.kind == answer::unanswered || seen.doubtful) {
                if (!std::exchange(unanswered, true)) ++core_.counters().unknown_writes;
                hold->tell(seen.why ? in_doubt(seen.why->details) : failure(errc::in_doubt));
            } else if (seen.kind == answer::rejected) {
                hold->tell(*seen.why);
            }
            co_await pause(failures++);
            continue;
        }
        if (seen.doubtful && !std::exchange(unanswered, true)) ++core_.counters().unknown_writes;
        const auto next = protocol::decide_leave({.applied = seen.kind == answer::applied,
                                                  .head = seen.head ? &*seen.head : nullptr,
                                                  .mine = mine,
                                                  .unanswered = unanswered,
                                                  .held = hold->is_protected() && counts(*hold->ticket())});
        if (next == leave_step::again) {
            others_wait = true;
            continue;
        }
        has_left(hold);
        const bool done = next == leave_step::done;
        if (unanswered && done) ++core_.counters().unknown_applied;
        if (done) tell_left(*hold);
        if (next == leave_step::lost) {
            hold->finish(turn_lost("others passed it over"));
        } else {
            hold->finish(done ? failure() : failure(errc::in_doubt));
        }
        for (const auto& each : over) {
            // An earlier copy may have done less than this one asked for.
            const bool passed = each.ticket <= head_->passed;
            if (passed && (each.ticket != mine.ticket || hold->ticket()->row_sent)) leftovers_.discard(each.ticket);
        }
        if (done && !idle) after_moving();
        watch_on();
        co_return;
    }
    has_left(hold);
    hold->finish(core_.may_write() ? turn_lost("the queue is as it was before") : core_.over_failure());
    // The queue is as it was before; so may be our row.
    if (core_.may_write()) begin_withdraw(hold->ticket());
    watch_on();
}

failure queue_impl::turn_lost(std::string_view why) const {
    failure lost(errc::lock_lost);
    lost.details.message = why;
    core_.log(severity::error, "a turn in queue '" + name_ + "' was lost: " + lost.details.message);
    return lost;
}

void queue_impl::lose_turn(const std::shared_ptr<queue_hold>& hold, std::string_view why) {
    end_turn(hold);
    if (!hold->lose(why)) return;
    turn_lost(why);
    begin_withdraw(hold->ticket());
}

// ---- giving up a place -------------------------------------------------------------------------------------

void queue_impl::begin_withdraw(std::shared_ptr<drawn_ticket> ticket) {
    if (ticket->known() || ticket->unanswered) start(withdraw(self(), std::move(ticket)));
}

boost::asio::awaitable<void> queue_impl::withdraw([[maybe_unused]] queue_target self,
                                                  std::shared_ptr<drawn_ticket> ticket) {
    using protocol::cancel_step;
    ++core_.counters().resolving;
    drawn_.begin_withdrawing();
    std::optional<std::uint64_t> voided_in;  // which of the queue's beginnings
    unsigned failures = 0;
    while (core_.may_write()) {
        const auto mine = ticket->known() ? std::optional(ticket->mine) : std::nullopt;
        const auto next = protocol::decide_cancel(
            {.mine = mine, .unanswered = ticket->unanswered, .voided = voided_in == head_.began(), .head = *head_});
        if (next == cancel_step::done) break;
        auto answered = answer::delayed;
        if (next == cancel_step::ask) {
            const auto seen = co_await look();
            answered = seen.kind;
            const bool ours = seen.head && seen.head->last == ticket->attempt;
            if (ours) {
                ticket->mine = protocol::last_place(*seen.head);
                ticket->drawn_at = seen.sight;
            }
            // Where others drew tickets after it, it is not known which is ours: they bury it when its turn comes.
            if (was_answered(answered)) {
                ticket->unanswered = false;
                ++(ours ? core_.counters().unknown_applied : core_.counters().unknown_void);
            }
        } else if (next == cancel_step::give_up) {
            // In a queue that is as it was before the number may be another's, and only our own row tells that it is
            // not.
            const auto began = head_.began();
            auto request = counts(*ticket) ? requests().cancel(ticket->mine, ticket->attempt)
                                           : requests().cancel_written(ticket->mine, ticket->attempt);
            const auto seen = co_await put(std::move(request));
            answered = seen.kind;
            const bool is_void = answered == answer::applied || (seen.found && seen.found->is_void);
            if (answered == answer::refused && !is_void) break;
            if (is_void) voided_in = began;
            if (voided_in == head_.began() && head_->passed < ticket->mine.ticket) {
                places_.voids[ticket->mine.ticket] = ticket->mine;
                found_gone(ticket->mine.ticket);
            }
            // A row in the way that is no row of ours stays where it is, whoever it keeps waiting.
            if (answered == answer::rejected && condition_of(seen.why->code) == condition::misconfigured) {
                core_.log(severity::error,
                          "queue '" + name_ + "': a ticket cannot be given up: " + seen.why->code.message());
                break;
            }
        } else {
            const auto over = protocol::over_with(ticket->mine, places_.voids);
            auto request = requests().pass(over);
            const auto seen = co_await send(std::move(request));
            answered = seen.kind;
            if (answered == answer::applied) {
                for (const auto& each : over) leftovers_.discard(each.ticket);
                after_moving();
            }
            // Refused, the turn is still with the one before, who passes us when it ends.
            if (was_answered(answered)) break;
        }
        if (answered != answer::applied && answered != answer::refused) co_await pause(failures++);
    }
    drawn_.end_withdrawing();
    --core_.counters().resolving;
    watch_on();
}

// ---- after `passed` was moved by us ------------------------------------------------------------------------

bool queue_impl::has_turn() const {
    const auto hold = turn_.hold.lock();
    return hold && hold->mine().ticket > head_->passed;
}

void queue_impl::after_moving() {
    if (head_->free()) {
        start(rest(self(), head_->tail));
    } else if (!has_turn()) {
        start(usher(self()));
    }
}

boost::asio::awaitable<void> queue_impl::rest([[maybe_unused]] queue_target self, std::int64_t tail) {
    auto request = requests().rest(tail, expiry());
    co_await send(std::move(request));
}

// Whoever has the turn now may be one who gave up too late to be passed by anybody.
boost::asio::awaitable<void> queue_impl::usher([[maybe_unused]] queue_target self) {
    for (auto rows = protocol::page_of_rows; !head_->free() && !has_turn(); rows = protocol::page_of_survey) {
        const auto passed = head_->passed;
        const auto until = head_->tail + 1;
        const auto ahead = co_await read_ahead(passed + 1, head_->tail, rows);
        if (ahead.why || !core_.may_write()) co_return;
        auto next = protocol::decide_examine({.passed = passed,
                                              .rows = ahead.rows,
                                              .until = until,
                                              .missing = places_.missing,
                                              .now = core_.now(),
                                              .bury_after = dynalease::time_point::duration::max()});
        if (next.step != protocol::examine_step::pass) co_return;
        const bool moved = co_await pass_over(std::move(next.places));
        if (!moved) co_return;
    }
    if (head_->free()) co_await rest(self, head_->tail);
}

}  // namespace dynalease::detail
