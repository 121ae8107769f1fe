// The end of a grant, by its guard or without it.
// SPDX-License-Identifier: BSL-1.0
#include "session/guard_verbs.hpp"

#include "session/session_impl.hpp"

#include <boost/asio/post.hpp>

namespace dynalease::detail {

namespace {

constexpr auto was_given_back = "it was given back before, by its guard or by the close of its session";

boost::asio::awaitable<runtime::completion<void>> run_giving_back(std::shared_ptr<hold> held, diagnostics* details) {
    const auto code = co_await held->wait_finished(details);
    co_return runtime::completion<void>{code};
}

/// There is nothing to give back.
boost::asio::awaitable<runtime::completion<void>> tell_over(std::shared_ptr<hold> held, error_code code,
                                                            diagnostics* details) {
    held->core()->notice_loss();
    if (details) details->message = code == errc::not_held ? was_given_back : held->why_lost();
    co_return runtime::completion<void>{code};
}

boost::asio::awaitable<runtime::completion<void>> run_learning_end(std::shared_ptr<hold> held, diagnostics* details) {
    if (held->lost_under_work()) {
        auto lost = tell_over(held, held->why_over(), details);
        co_return co_await std::move(lost);
    }
    // In somebody else's hands; or its time has run out since, of which the work knows nothing.
    if (held->kept() || held->state() == guard_state::lost) co_return runtime::completion<void>{};
    const auto code = co_await held->wait_finished(details);
    co_return runtime::completion<void>{code};
}

boost::asio::awaitable<runtime::completion<void>> run_waiting_for_loss(std::shared_ptr<hold> held,
                                                                       diagnostics* details) {
    const auto code = co_await held->wait_lost();
    if (details && code == errc::not_held) details->message = was_given_back;
    co_return runtime::completion<void>{code};
}

/// From the guard that gives it back. Invalid from the call on, on whatever thread that is.
/// @returns false if it was lost or released, or given to a verb, before
bool take_from_guard(hold& held) {
    return held.state() != guard_state::lost && held.hand_in() && held.let_go();
}

void give_back(const std::shared_ptr<hold>& held, called_verb called, handler_for<void> handler) {
    held->give_back_soon();
    called.given_up = errc::in_doubt;  // it goes on
    auto goes_on = run_giving_back(held, called.details);
    start_guard_verb<void>(held, std::move(called), std::move(goes_on), std::move(handler));
}

}  // namespace

void start_giving_back(const std::shared_ptr<hold>& held, called_verb called, handler_for<void> handler) {
    if (!held) {
        answer_at_once<void>(called, empty_guard(), std::move(handler));
        return;
    }
    if (take_from_guard(*held)) {
        give_back(held, std::move(called), std::move(handler));
    } else {
        auto told = tell_over(held, held->why_over(), called.details);
        start_guard_verb<void>(held, std::move(called), std::move(told), std::move(handler));
    }
}

void start_ending_work(const std::shared_ptr<hold>& held, bool has_guard, called_verb called,
                       handler_for<void> handler) {
    if (has_guard && take_from_guard(*held)) {
        give_back(held, std::move(called), std::move(handler));
    } else {
        auto learns = run_learning_end(held, called.details);
        start_guard_verb<void>(held, std::move(called), std::move(learns), std::move(handler));
    }
}

void start_waiting_for_loss(const std::shared_ptr<hold>& held, called_verb called, handler_for<void> handler) {
    auto waits = run_waiting_for_loss(held, called.details);
    start_guard_verb<void>(held, std::move(called), std::move(waits), std::move(handler));
}

void require_grant(const hold* held, std::string_view verb, const std::string& name) {
    const bool in_child = held && held->core()->status().in_child();
    const bool over = !held || held->state() == guard_state::released;
    if (!over && !in_child) return;
    diagnostics details;
    details.message = !held      ? "the guard is empty"
                      : in_child ? "it is held by the process that this one is a fork of"
                                 : was_given_back;
    const auto code = called_verb{&details, verb, name}(in_child ? errc::lock_lost : errc::not_held);
    throw error(code, std::move(details));
}

}  // namespace dynalease::detail
