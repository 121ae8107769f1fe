// What the verbs of all guards have in common.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "database/called_verb.hpp"
#include "session/hold.hpp"

#include <dynalease/guard_state.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/system_executor.hpp>

#include <memory>
#include <string_view>
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

inline failure empty_guard() {
    failure why(errc::not_held);
    why.details.message = "the guard is empty";
    return why;
}

/// Starts what a guard's verb does with its hold; where there is none, `work` is dropped without a step.
/// @param called without what it was called on
template <class T, class Hold>
void start_guard_verb(const std::shared_ptr<Hold>& hold, called_verb called,
                      boost::asio::awaitable<runtime::completion<T>> work,
                      std::type_identity_t<handler_for<T>> handler) {
    if (hold) {
        called.key = hold->title();
        called.table = hold->table();
        start_verb<T>(executor_of(hold), std::move(called), std::move(work), std::move(handler));
    } else {
        answer_at_once<T>(called, empty_guard(), std::move(handler));
    }
}

/// A verb that has nothing to do but to say so.
inline boost::asio::awaitable<runtime::completion<void>> answer_with(error_code code) {
    co_return runtime::completion<void>{code};
}

/// The verb that gives a grant back, and says whether it was still ours.
void start_giving_back(const std::shared_ptr<hold>& held, called_verb called, handler_for<void> handler);
/// The verb that follows work which was done under a grant and ended well: gives the grant back; or, where the work
/// itself or the close of its session has done so, tells how that ended. Whoever else has its guard by now keeps it.
/// @param has_guard the work has left its guard where it was
void start_ending_work(const std::shared_ptr<hold>& held, bool has_guard, called_verb called,
                       handler_for<void> handler);
/// The verb that completes when a grant is lost.
void start_waiting_for_loss(const std::shared_ptr<hold>& held, called_verb called, handler_for<void> handler);
/// For a fence, which lets through what the grant lets through.
/// @param held null: the guard is empty
/// @throws dynalease::error with `errc::not_held` of a guard that is empty or was given back; with `errc::lock_lost` in
/// a forked child, where it is a copy of one that its parent holds.
void require_grant(const hold* held, std::string_view verb, const std::string& name);

}  // namespace dynalease::detail
