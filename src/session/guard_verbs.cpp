// The end of a grant, by its guard or without it.
// SPDX-License-Identifier: BSL-1.0
#include "session/guard_verbs.hpp"

#include "database/verb_failure.hpp"
#include "session/session_impl.hpp"

#include <boost/asio/post.hpp>

namespace dynalease::detail {

namespace {

boost::asio::awaitable<runtime::completion<void>> run_giving_back(std::shared_ptr<hold> held, const char* verb,
                                                                  diagnostics* details) {
    auto code = co_await held->wait_finished();
    // The caller went away while the write was under way; the front goes on with it.
    if (code == boost::asio::error::operation_aborted) code = errc::in_doubt;
    if (code) report(failure(code), details, verb, held->name());
    co_return runtime::completion<void>{code};
}

boost::asio::awaitable<runtime::completion<void>> run_waiting_for_loss(std::shared_ptr<hold> held) {
    auto code = co_await held->wait_lost();
    if (code == boost::asio::error::operation_aborted) code = errc::cancelled;
    co_return runtime::completion<void>{code};
}

}  // namespace

void start_giving_back(const std::shared_ptr<hold>& held, const char* verb, diagnostics* details,
                       handler_for<void> handler) {
    if (!held) {
        answer_for_empty<void>(std::move(handler));
        return;
    }
    // Invalid from the call on, on whatever thread that is.
    const bool was_lost = held->state() == guard_state::lost;
    if (!was_lost && held->let_go()) {
        held->give_back_soon();
        start_verb(held, run_giving_back(held, verb, details), std::move(handler));
    } else {
        const auto lost = held->core()->valid() ? errc::lock_lost : errc::session_lost;
        start_verb(held, answer_with(was_lost ? lost : errc::not_held), std::move(handler));
    }
}

void start_waiting_for_loss(const std::shared_ptr<hold>& held, handler_for<void> handler) {
    start_verb(held, run_waiting_for_loss(held), std::move(handler));
}

}  // namespace dynalease::detail
