// Work that is done only while it is our turn in a queue: cancelled when the turn is lost, followed by the leaving.
#pragma once

#include <dynalease/lock/with_lock.hpp>
#include <dynalease/queue/queue.hpp>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/this_coro.hpp>

#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>

namespace dynalease {

namespace detail {

/// Runs `work` on `executor` and cancels it (terminal) when the turn is lost or its session closes; then it fails with
/// `lock_lost` or `session_closed`.
void run_in_turn(const boost::asio::any_io_executor& executor, const queue_turn& turn,
                 boost::asio::awaitable<void> work, guarded_handler handler);

struct start_in_turn {
    boost::asio::any_io_executor executor;
    const queue_turn* turn;
    template <class Handler>
    void operator()(Handler&& handler, boost::asio::awaitable<void> work) const {
        run_in_turn(executor, *turn, std::move(work), guarded_handler(std::forward<Handler>(handler)));
    }
};

}  // namespace detail

/// Enters, runs `body(turn)` on the caller's executor, leaves. The body returns an `asio::awaitable<T>`; its value, or
/// what it throws, is the result.
///
/// Errors: those of `queue::enter`; `errc::lock_lost` when the turn was lost before the body ended,
/// `errc::session_closed` when its session was closed or destroyed: the body is then cancelled (terminal) and waited
/// for. Cancellation: cancels the wait, or the body. Cost: as enter and leave.
template <class Body>
    requires std::invocable<Body&, queue_turn&>
auto with_turn(queue target, Body body, enter_options options = {}) -> std::invoke_result_t<Body&, queue_turn&> {
    using value_type = typename detail::awaited<std::invoke_result_t<Body&, queue_turn&>>::type;

    auto turn = co_await target.enter(std::move(options));
    auto executor = co_await boost::asio::this_coro::executor;
    const detail::start_in_turn start{executor, &turn};
    if constexpr (std::is_void_v<value_type>) {
        auto run = boost::asio::async_initiate<const boost::asio::deferred_t&, void(std::exception_ptr)>(
            start, boost::asio::deferred, body(turn));
        co_await std::move(run);
        co_await turn.leave(boost::asio::as_tuple(boost::asio::deferred));
    } else {
        std::optional<value_type> value;
        auto run = boost::asio::async_initiate<const boost::asio::deferred_t&, void(std::exception_ptr)>(
            start, boost::asio::deferred, detail::keep_value(body(turn), value));
        co_await std::move(run);
        co_await turn.leave(boost::asio::as_tuple(boost::asio::deferred));
        co_return std::move(*value);
    }
}

}  // namespace dynalease
