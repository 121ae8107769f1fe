// What the tests of sessions do to a session, and to its network.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/lock_steps.hpp"

#include <dynalease/queue.hpp>

#include <chrono>
#include <optional>
#include <utility>

namespace dynalease::tests {

/// Every request has that fate.
inline testing::fault_plan all_meet(const testing::fault& fate) {
    return [fate](const any_request&, const call_options&) { return fate; };
}

inline testing::fault_plan silence() {
    return all_meet({testing::fault::kind::lose_request});
}

inline testing::fault nobody_there() {
    return {.what = testing::fault::kind::fail, .answer = failure(errc::unreachable)};
}

inline asio::awaitable<void> close(node& in, close_options options, close_report& report) {
    report = co_await in.session->close(options);
}

inline asio::awaitable<void> close(node& in, close_options options = {}) {
    co_await in.session->close(options);
}

inline asio::awaitable<void> enter(queue line, queue_turn& into) {
    into = co_await line.enter();
}

inline asio::awaitable<void> leave(queue_turn& turn) {
    co_await turn.leave();
}

/// Takes a lock and gives it back. @param told where that fails
inline asio::awaitable<void> tell(lock target, acquire_options options, std::optional<error>& told) {
    try {
        auto guard = co_await target.acquire(std::move(options));
        co_await guard.release();
    } catch (const error& e) {
        told = e;
    }
}
inline asio::awaitable<void> tell(node& in, std::optional<std::chrono::nanoseconds> wait, std::optional<error>& told) {
    const acquire_options options{.wait = wait};
    lock target{*in.session, "x"};
    co_await tell(target, options, told);
}

}  // namespace dynalease::tests
