// What the verbs of all guards have in common.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "runtime/spawn.hpp"
#include "session/hold.hpp"

#include <dynalease/detail/initiate.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/system_executor.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace dynalease::detail {

/// Where a guard's verbs run.
template <class Hold>
boost::asio::any_io_executor executor_of(const std::shared_ptr<Hold>& hold) {
    // Only asked for by the initiation; an empty guard never runs anything there.
    if (!hold) return boost::asio::system_executor();
    return hold->core()->world().executor;
}

/// An empty guard has no executor of its own: the answer comes on the handler's. Not through the system executor,
/// which would start a thread.
template <class T>
void answer_for_empty(handler_for<T> handler) {
    const auto executor = boost::asio::get_associated_executor(handler);
    boost::asio::dispatch(executor, [handler = std::move(handler)]() mutable {
        if constexpr (std::is_void_v<T>) {
            std::move(handler)(make_error_code(errc::not_held));
        } else {
            std::move(handler)(make_error_code(errc::not_held), T{});
        }
    });
}

/// Starts what a verb does with its hold; where there is none, `work` is dropped without a step.
template <class T, class Hold>
void start_verb(const std::shared_ptr<Hold>& hold, boost::asio::awaitable<runtime::completion<T>> work,
                std::type_identity_t<handler_for<T>> handler) {
    if (hold) {
        runtime::spawn<T>(executor_of(hold), std::move(work), std::move(handler));
    } else {
        answer_for_empty<T>(std::move(handler));
    }
}

/// A verb that has nothing to do but to say so.
inline boost::asio::awaitable<runtime::completion<void>> answer_with(error_code code) {
    co_return runtime::completion<void>{code};
}

/// The verb that gives a grant back, and says whether it was still ours.
void start_giving_back(const std::shared_ptr<hold>& held, const char* verb, diagnostics* details,
                       handler_for<void> handler);
/// The verb that completes when a grant is lost.
void start_waiting_for_loss(const std::shared_ptr<hold>& held, handler_for<void> handler);

}  // namespace dynalease::detail
