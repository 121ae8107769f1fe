// Work that is done only while it is our turn in a queue: cancelled when the turn is lost, followed by the leaving.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/detail/braced.hpp>
#include <dynalease/detail/guarded_work.hpp>
#include <dynalease/queue/queue.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

#pragma GCC visibility push(default)
namespace dynalease {

namespace detail {
struct granted_queue {
    using hold = std::shared_ptr<queue_hold>;
    static hold held(const queue_turn& turn);
    static void run(const boost::asio::any_io_executor& executor, const hold& held, boost::asio::awaitable<void> work,
                    guarded_handler handler);
    static void end(const hold& held, bool has_guard, diagnostics* details, handler_for<void> handler);
    static void check_kept(const hold& held, error_code end, const diagnostics& why);
};

template <class Body>
auto run_with_turn(queue target, Body body, enter_options options) -> std::invoke_result_t<Body&, queue_turn&> {
    auto turn = co_await target.enter(std::move(options));
    auto run = run_guarded<granted_queue>(std::move(turn), std::move(body));
    co_return co_await std::move(run);
}
}  // namespace detail

/// Enters, runs `body(turn)` on the caller's executor, leaves. The body returns an `asio::awaitable<T>`; its value, or
/// what it throws, is the result.
///
/// Errors: those of `queue::enter`; `errc::lock_lost` when the turn was lost before the body ended, though it be the
/// leaving that finds it so (what the body returned is dropped then); `errc::session_closed` when its session was
/// closed or destroyed before the body began, or too long before it ended (`close_options::timeout`). A body whose turn
/// is lost, or whose time is over, is cancelled (terminal) and waited for; its turn ends only after that. As in any
/// coroutine each of its awaits throws from then on, also of one that has caught an error and goes on. What the body
/// throws as in doubt is told so all the same: a write of it may have been applied. Cancellation: cancels the wait, or
/// the body. Cost: as enter and leave.
template <class Body>
    requires std::invocable<std::decay_t<Body>&, queue_turn&>
auto with_turn(queue target, Body&& body, enter_options options = {}) {
    static_assert(detail::is_awaitable<std::invoke_result_t<std::decay_t<Body>&, queue_turn&>>,
                  "the body of with_turn returns an asio::awaitable");
    detail::check_temporary<Body>();
    return detail::run_with_turn<std::decay_t<Body>>(std::move(target), std::forward<Body>(body), std::move(options));
}

}  // namespace dynalease
#pragma GCC visibility pop
