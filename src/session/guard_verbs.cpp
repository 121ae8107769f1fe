// The end of a grant, by its guard or without it.
// SPDX-License-Identifier: BSL-1.0
#include "session/guard_verbs.hpp"

#include "session/session_impl.hpp"

#include <boost/asio/post.hpp>

namespace dynalease::detail {

namespace {

boost::asio::awaitable<runtime::completion<void>> run_giving_back(std::shared_ptr<hold> held) {
    const auto code = co_await held->wait_finished();
    co_return runtime::completion<void>{code};
}

boost::asio::awaitable<runtime::completion<void>> run_waiting_for_loss(std::shared_ptr<hold> held) {
    const auto code = co_await held->wait_lost();
    co_return runtime::completion<void>{code};
}

}  // namespace

void start_giving_back(const std::shared_ptr<hold>& held, called_verb called, handler_for<void> handler) {
    if (!held) {
        answer_for_empty<void>(called, std::move(handler));
        return;
    }
    // Invalid from the call on, on whatever thread that is.
    if (held->state() != guard_state::lost && held->hand_in() && held->let_go()) {
        held->give_back_soon();
        called.given_up = errc::in_doubt;  // it goes on
        start_guard_verb<void>(held, std::move(called), run_giving_back(held), std::move(handler));
    } else {
        start_guard_verb<void>(held, std::move(called), answer_with(held->why_over()), std::move(handler));
    }
}

void start_waiting_for_loss(const std::shared_ptr<hold>& held, called_verb called, handler_for<void> handler) {
    start_guard_verb<void>(held, std::move(called), run_waiting_for_loss(held), std::move(handler));
}

void require_grant(guard_state now, std::string_view verb, const std::string& name) {
    if (now != guard_state::empty && now != guard_state::released) return;
    diagnostics details;
    details.message = now == guard_state::empty ? "the guard is empty" : "it was given back before";
    const auto code = called_verb{&details, verb, name}(errc::not_held);
    throw error(code, std::move(details));
}

}  // namespace dynalease::detail
