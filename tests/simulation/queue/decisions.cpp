// Decisions in the place of the library's own: where it calls a function of stand_ins.txt, the linker sends the call to
// `mutated::f`, and `real::f` is the library's. None of this is in the library.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/mutant.hpp"
#include "simulation/framework/rewriting_database.hpp"
#include "simulation/queue/row_name.hpp"
#include "simulation/queue/stand_ins.hpp"

#include "queue/protocol/head_sights.hpp"
#include "queue/protocol/queue_decisions.hpp"
#include "queue/protocol/queue_times.hpp"
#include "queue/queue_hold.hpp"
#include "queue/queue_impl.hpp"

#include <dynalease/queue.hpp>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace dynalease::simulation::queues {

namespace asio = boost::asio;
using namespace protocol;
using all_turns = std::vector<queue_turn>;

// ---- what they get wrong -------------------------------------------------------------------------------------

examine_decision mutated::decide_examine(const examine_facts& facts) {
    const bool ushers = facts.bury_after == time_point::duration::max();
    auto rows = facts.rows;
    for (auto& seen : rows) {
        const bool alive = seen.owner == owner_is::other && !seen.row.is_void;
        if (active("DEADEARLY") && alive) seen.owner = owner_is::over;
        if (active("USHER") && ushers && alive) seen.owner = owner_is::over;
        if (active("VOIDSTAY")) seen.row.is_void = false;
        if (active("GHOST") && seen.owner == owner_is::ghost) seen.owner = owner_is::ours;
    }
    auto next = real::decide_examine({facts.passed, rows, facts.until, facts.missing, facts.now, facts.bury_after});
    const bool missing = next.step == examine_step::await || next.step == examine_step::bury;
    if (active("ARTICLE") && missing && rows.empty() && !ushers) {
        notes_of_this_world().nothing_before.insert(facts.until);
    }
    if (active("NOTOMB") && next.step == examine_step::bury) next.step = examine_step::pass;
    if (active("SKIPNOW") && next.step == examine_step::await && !ushers) {
        next.step = examine_step::bury;
        next.graves = {next.places.front().ticket};
    }
    return next;
}

poll_step mutated::decide_poll(const queue_head* head, const place& mine) {
    // The recipe goes in where it sees no row before its own.
    const bool first = active("ARTICLE") && notes_of_this_world().nothing_before.contains(mine.from);
    if (first && head && head->passed < mine.ticket) return poll_step::turn;
    return real::decide_poll(head, mine);
}

cancel_step mutated::decide_cancel(const cancel_facts& facts) {
    const auto next = real::decide_cancel(facts);
    return active("NOVOID") && next == cancel_step::give_up ? cancel_step::done : next;
}

ticket_step mutated::decide_ticket(const ticket_facts& facts) {
    auto& notes = notes_of_this_world();
    if (active("FROMANSWER")) notes.claim_begins_late = facts.now - facts.first_send;
    if (active("FROMCOPY")) notes.claim_begins_late = notes.last_draw_sent - facts.first_send;
    return real::decide_ticket(facts);
}

ask_step mutated::decide_ask(const ask_facts& facts) {
    const bool unseen = active("LIFE_UNSEEN");
    const auto& first = active("LEFT_TAKEN") ? facts.head : facts.first;
    const auto next = real::decide_ask({.first = first,
                                        .head = facts.head,
                                        .passed_here = facts.passed_here,
                                        .seen_alive = facts.seen_alive && !unseen});
    return active("LIFE_GUESSED") && next == ask_step::go_on ? ask_step::refuse : next;
}

std::chrono::nanoseconds mutated::claim_held(std::uint32_t drift_ppm) {
    if (active("NOCLAIM")) return std::chrono::hours(1);
    if (active("FROMANSWER") || active("FROMCOPY")) {
        return real::claim_held(drift_ppm) + notes_of_this_world().claim_begins_late;
    }
    return real::claim_held(drift_ppm);
}

std::chrono::nanoseconds mutated::bury_after(std::uint32_t drift_ppm) {
    return active("NOWAIT") ? std::chrono::milliseconds(500) : real::bury_after(drift_ppm);
}

std::vector<place> mutated::over_with(const place& mine, const void_tickets& voids) {
    auto over = real::over_with(mine, voids);
    if (active("LEAVES_TOO_MUCH")) over.push_back({.ticket = over.back().ticket + 1, .from = over.back().ticket + 1});
    return over;
}

std::optional<head_sights::news> mutated::head_sights_sight(head_sights& of, const std::optional<queue_head>& shown,
                                                            std::uint64_t asked, time_point now) {
    return real::head_sights_sight(of, shown, active("OVERTAKEN") ? of.count() : asked, now);
}

// ---- several queues, entered one by one ------------------------------------------------------------------------

namespace {

/// Each draws a number of its own; who has its turn in one waits in the others.
class separate_entries : public std::enable_shared_from_this<separate_entries> {
public:
    explicit separate_entries(detail::handler_for<all_turns> handler) : handler_(std::move(handler)) {}

    void begin(const std::vector<queue>& queues, const enter_options& options) {
        turns_.resize(queues.size());
        cancels_.resize(queues.size());
        open_ = queues.size();
        if (auto slot = asio::get_associated_cancellation_slot(handler_); slot.is_connected()) {
            slot.assign([weak = weak_from_this()](asio::cancellation_type type) {
                if (const auto self = weak.lock()) self->cancel(type);
            });
        }
        for (std::size_t i = 0; i < queues.size(); ++i) {
            auto ended = [self = shared_from_this(), i](error_code code, queue_turn got) {
                self->end(i, code, std::move(got));
            };
            queues[i].enter(options, asio::bind_cancellation_slot(cancels_[i].slot(), std::move(ended)));
        }
    }

private:
    void cancel(asio::cancellation_type type) {
        for (auto& each : cancels_) each.emit(type);
    }
    void end(std::size_t index, error_code code, queue_turn got) {
        turns_[index] = std::move(got);
        if (code && !failed_) {
            failed_ = code;
            cancel(asio::cancellation_type::terminal);
        }
        if (--open_ != 0) return;
        if (auto slot = asio::get_associated_cancellation_slot(handler_); slot.is_connected()) slot.clear();
        if (failed_) turns_.clear();
        std::move(handler_)(failed_, std::move(turns_));
    }

    detail::handler_for<all_turns> handler_;
    all_turns turns_;
    std::deque<asio::cancellation_signal> cancels_;
    std::size_t open_ = 0;
    error_code failed_;
};

}  // namespace

void mutated::enter_all_verb_call(detail::enter_all_verb& verb, diagnostics* details,
                                  detail::handler_for<all_turns> handler) {
    if (!active("SEPARATE")) return real::enter_all_verb_call(verb, details, std::move(handler));
    std::make_shared<separate_entries>(std::move(handler))->begin(verb.queues, verb.options);
}

// ---- turns that are dropped ------------------------------------------------------------------------------------

void mutated::abandon(detail::queue_hold& hold) {
    const auto state = hold.state();
    if (state == guard_state::held || state == guard_state::jeopardy) {
        const auto fence = hold.front().view().requests().fence(hold.mine());
        notes_of_this_world().turns_dropped.emplace(text_of_head(fence.key), hold.mine().ticket);
    }
    real::abandon(hold);
}

}  // namespace dynalease::simulation::queues
