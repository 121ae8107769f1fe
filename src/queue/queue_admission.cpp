// Drawing tickets, and writing them down.
// SPDX-License-Identifier: BSL-1.0
#include "queue/queue_admission.hpp"

#include "database/protocol/backoff.hpp"
#include "queue/queue_impl.hpp"
#include "session/protocol/session_words.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

namespace dynalease::detail {

using protocol::ticket_step;

namespace {
shared_failure counter_at_its_end() {
    failure why(errc::corrupt_row);
    why.details.message =
        "the queue's ticket counter is at its end, far beyond what counting from the wall clock gives";
    return std::make_shared<const failure>(std::move(why));
}

/// The request that draws a ticket. Between two of its attempts, of which each was answered, there is none in doubt.
class drawing_call final : public watched_call {
public:
    drawing_call(protocol::outage& service, dynalease::time_point sent, queue_entrant& who)
        : watched_call(service, sent), who_(who), in_doubt_(std::exchange(who.ticket->unanswered, true)) {}

    void failed(const failure& why) override {
        watched_call::failed(why);
        who_.ticket->unanswered = in_doubt_ || why.outcome == outcome::unknown;
    }
    bool goes_on() override {
        // For a caller who has gone no ticket is drawn.
        if (!who_.wanted()) return false;
        who_.ticket->unanswered = true;
        return watched_call::goes_on();
    }

private:
    queue_entrant& who_;
    const bool in_doubt_;
};
}  // namespace

queue_admission::queue_admission(session_impl& core, queue_impl& front, queue_view& view, queue_callers& here,
                                 queue_watch& watch, queue_departures& departures, const queue_options& options)
    : core_(core),
      front_(front),
      view_(view),
      here_(here),
      watch_(watch),
      departures_(departures),
      inquiry_(core, view, watch, options),
      singly_(core.world().executor),
      jointly_(core.world().executor) {}

void queue_admission::admit(std::shared_ptr<queue_entrant> who) {
    here_.drawn.begin_entering(*who);
    here_.drawn.begin_ticket(who, core_.world().new_id());
    if (front_.start(run(front_.self(), who))) return;
    here_.drawn.end_entering(*who);
    who->complete({{}, std::make_shared<const failure>(core_.over_failure())});
}

boost::asio::awaitable<void> queue_admission::run([[maybe_unused]] queue_target self,
                                                  std::shared_ptr<queue_entrant> who) {
    while (core_.may_write()) {
        // The first may be bad luck. More of it means that the table is not what it was: no storm of tickets then.
        if (who->places_lost > 1) co_await view_.pause(who->places_lost - 2);
        if (!who->drawing) {
            co_await singly_.begin();
            who->drawing = true;
        }
        const auto drawn = co_await draw(who);
        // Whose ticket turned out to be void draws again before those who came after it.
        if (drawn != ticket_step::renew) end_drawing(*who);
        if (!drawn) break;
        if (*drawn == ticket_step::direct) {
            front_.grant(who, *who->ticket->first_send + protocol::claim_held(core_.options().clock_drift_ppm));
            co_return;
        }
        if (*drawn == ticket_step::write_down) {
            const auto row = co_await write_down(who);
            if (row == written::yes) {
                front_.wait_in_line(who);
                co_return;
            }
            if (row != written::buried) break;
        }
        if (*drawn == ticket_step::contended) {
            const bool nobody_lives = co_await inquiry_.nobody_lives(who);
            if (!nobody_lives) break;
        } else {
            ++who->places_lost;
        }
        here_.drawn.begin_ticket(who, core_.world().new_id());
    }
    // Nobody waits for it any more, or it cannot be had. What may be in the table is taken back.
    end_drawing(*who);
    here_.drawn.end_entering(*who);
    if (core_.may_write()) departures_.withdraw(who->ticket);
}

void queue_admission::end_drawing(queue_entrant& who) {
    if (std::exchange(who.drawing, false)) singly_.end();
}

// Direct, to be written down, or to be renewed; contended, for one that asks who lives. Empty: the end, and whoever
// waits has been told.
boost::asio::awaitable<std::optional<ticket_step>> queue_admission::draw(std::shared_ptr<queue_entrant> who) {
    unsigned failures = 0;
    unsigned silent = 0;
    while (core_.may_write() && core_.live() && who->wanted()) {
        if (who->tries && !who->ticket->unanswered) {
            const auto busy = co_await still_busy();
            if (busy) co_return found_others(*who, *busy);
            if (!who->wanted()) break;
        }
        auto& ticket = *who->ticket;
        if (!ticket.first_send) ticket.first_send = core_.now();
        const bool in_doubt = ticket.unanswered;
        const auto seen = co_await ask_for_ticket(who, failures > 0);
        if (seen.kind == answer::rejected) {
            ticket.unanswered = in_doubt || seen.doubtful;
            who->complete({{}, ticket.unanswered ? told_in_doubt(*seen.why) : seen.why});
            break;
        }
        if (seen.kind == answer::unanswered || seen.kind == answer::delayed) {
            ticket.unanswered = in_doubt || seen.kind == answer::unanswered;
            if (ticket.unanswered && !in_doubt) ++core_.counters().unknown_writes;
            // A try waits for nobody: its second request without an answer is its last.
            const bool hurries = who->tries && !bears_silence(*who);
            if (hurries && !ticket.unanswered) who->complete({{}, seen.why});
            if (++silent > 1 && hurries) who->complete({{}, told_in_doubt(*seen.why)});
            if (who->wanted()) co_await view_.pause(failures++);
            continue;
        }
        ticket.unanswered = false;
        const bool own_copy = in_doubt || seen.doubtful;
        if (own_copy && !in_doubt) ++core_.counters().unknown_writes;
        const auto head = seen.head.value_or(protocol::queue_head{});
        const auto next = protocol::decide_ticket({.applied = seen.kind == answer::applied,
                                                   .head = head,
                                                   .attempt = ticket.attempt,
                                                   .unanswered = own_copy,
                                                   .tries = who->tries,
                                                   .first_send = *ticket.first_send,
                                                   .now = core_.now(),
                                                   .claim = protocol::claim_held(core_.options().clock_drift_ppm)});
        if (next == ticket_step::direct || next == ticket_step::write_down) {
            if (own_copy) ++core_.counters().unknown_applied;
            ticket.mine = protocol::last_place(head);
            ticket.position = static_cast<std::size_t>(protocol::tickets_ahead(head, ticket.mine));
            ticket.drawn_at = seen.sight;
            if (view_.counts(ticket)) co_return next;
            departures_.withdraw(who->ticket);
            co_return ticket_step::renew;
        }
        if (own_copy) ++core_.counters().unknown_void;
        if (next == ticket_step::contended) co_return found_others(*who, head);
        if (next == ticket_step::exhausted) {
            who->complete({{}, counter_at_its_end()});
            break;
        }
        co_return next;
    }
    co_return std::nullopt;
}

// Who only tries is told; but one that asks who lives goes on.
std::optional<ticket_step> queue_admission::found_others(queue_entrant& who, const protocol::queue_head& shown) {
    if (who.until_known) {
        if (!who.first_seen) who.first_seen = shown;
        return ticket_step::contended;
    }
    who.complete({});
    watch_.examine_soon();
    return std::nullopt;
}

// Where others drew tickets after it, a copy of the request draws one more, which nobody wants: before it is sent, the
// head has to show that ours is not the last. So an outage leaves as many behind as there were callers, however often
// each of them asks. And while nobody answers, only reads are sent: whoever gives up then has written nothing.
boost::asio::awaitable<queue_view::head_answer> queue_admission::ask_for_ticket(std::shared_ptr<queue_entrant> who,
                                                                                bool again) {
    auto& ticket = *who->ticket;
    if (ticket.unanswered || again) {
        auto seen = co_await view_.look();
        const bool ours = seen.head && seen.head->last == ticket.attempt;
        if (ours) seen.kind = answer::refused;  // as the copy would be
        // Of a ticket that nothing was sent for, a look leaves no doubt.
        if (seen.kind == answer::unanswered && !ticket.unanswered) seen.kind = answer::delayed;
        if (seen.kind != answer::applied) co_return seen;
        if (!who->wanted()) {
            co_return head_answer{.kind = answer::delayed, .why = std::make_shared<const failure>(errc::cancelled)};
        }
    }
    drawing_call watch(view_.service(), core_.now(), *who);
    auto request = who->tries ? view_.requests().take_if_free(ticket.attempt, core_.wall())
                              : view_.requests().take(ticket.attempt, core_.wall());
    co_return co_await view_.send(std::move(request), watch);
}

bool queue_admission::bears_silence(const queue_entrant& who) const {
    return who.until_known && view_.service().is_borne(who.came, core_.options().lease);
}

// A queue that was just seen busy is read before it is written to, and examined: those before may be dead.
boost::asio::awaitable<std::optional<protocol::queue_head>> queue_admission::still_busy() {
    const auto* known = view_.fresh_head();
    if (!known || known->free()) co_return std::nullopt;
    auto seen = co_await view_.look();
    const bool busy = seen.kind == answer::applied && seen.head && !seen.head->free();
    if (!busy) co_return std::nullopt;
    co_return std::move(seen.head);
}

boost::asio::awaitable<queue_admission::written> queue_admission::write_down(
    const std::shared_ptr<queue_entrant>& who) {
    const auto ticket = who->ticket;
    unsigned failures = 0;
    const std::function<bool()> goes_on = [&] { return core_.live() && who->wanted(); };
    while (goes_on()) {
        if (!view_.counts(*ticket)) {
            departures_.withdraw(ticket);
            co_return written::buried;
        }
        shared_failure why;
        const auto row = co_await put_row(ticket, why);
        // Others may have buried it after its claim, passed it over and forgotten it, before this row came.
        const bool late = core_.now() >= *ticket->first_send + protocol::claim_held(core_.options().clock_drift_ppm);
        if (row == written::yes && late) ticket->judged_from = view_.head().begin_anew();
        if (row == written::yes || row == written::buried) co_return row;
        if (row == written::refused) {
            who->complete({{}, why});
            break;
        }
        co_await view_.look_after(failures, goes_on);
    }
    co_return written::not_yet;
}

boost::asio::awaitable<queue_admission::written> queue_admission::put_row(std::shared_ptr<drawn_ticket> ticket,
                                                                          shared_failure& why, call_options options) {
    ticket->row_sent = true;
    auto request = view_.requests().enter(ticket->mine, ticket->attempt, ticket->face);
    const auto seen = co_await view_.put(std::move(request), options);
    if (seen.kind == answer::applied || (seen.kind == answer::refused && seen.found)) {
        const auto* found = seen.found ? &*seen.found : nullptr;
        const bool entered = protocol::decide_entered(found, ticket->attempt) == protocol::entered_step::entered;
        ticket->row_known = ticket->row_known || entered;
        co_return entered ? written::yes : written::buried;
    }
    why = seen.why;
    co_return seen.kind == answer::rejected ? written::refused : written::not_yet;
}

void queue_admission::write_down_later(const std::shared_ptr<queue_hold>& hold) {
    front_.start(keep_writing_down(front_.self(), hold));
}

boost::asio::awaitable<void> queue_admission::keep_writing_down([[maybe_unused]] queue_target self,
                                                                std::shared_ptr<queue_hold> hold) {
    const auto ticket = hold->ticket();
    const auto still_held = [&] { return here_.turn.lock() == hold && core_.may_write(); };
    co_await hold->over().wait_until(*ticket->first_send + protocol::write_down_after);
    unsigned failures = 0;
    std::string last;  // why it is not written down yet
    while (still_held() && core_.now() < hold->unwritten_until()) {
        shared_failure why;
        // No longer than the claim lasts: its end must be told in time.
        const call_options options{.timeout = hold->unwritten_until() - core_.now()};
        const auto row = co_await put_row(ticket, why, options);
        if (row == written::yes && core_.may_write() && core_.now() < hold->unwritten_until()) {
            // Also for whoever gives it back meanwhile: what shows it as passed is then its own doing.
            hold->written_down();
            co_return;
        }
        if (!still_held()) co_return;
        if (row == written::buried || row == written::yes) break;
        if (why) last = ": " + protocol::words_of_failure(*why);
        if (why && failures == 0)
            core_.log(severity::warning, "a turn in queue '" + front_.name() + "' is not written down yet" + last);
        runtime::alarm sleep(core_.world());
        const auto again = core_.now() + retry_pause(failures++, core_.unit());
        co_await sleep.wait_until(std::min(again, hold->unwritten_until()));
    }
    if (still_held()) front_.lose_turn(hold, "it could not be written down in time" + last);
}

}  // namespace dynalease::detail
