// Work that is done only while a lock is held: cancelled when it is lost, followed by the release.
#pragma once

#include <dynalease/lock/lock.hpp>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/this_coro.hpp>

#include <concepts>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace dynalease {

namespace detail {

using guarded_handler = boost::asio::any_completion_handler<void(std::exception_ptr)>;

/// Runs `work` on `executor` and cancels it (terminal) when the guard is lost or its session closes; then it fails with
/// `lock_lost` or `session_closed`.
void run_while_held(const boost::asio::any_io_executor& executor, const lock_guard& guard,
                    boost::asio::awaitable<void> work, guarded_handler handler);

struct start_guarded {
    boost::asio::any_io_executor executor;
    const lock_guard* guard;
    template <class Handler>
    void operator()(Handler&& handler, boost::asio::awaitable<void> work) const {
        run_while_held(executor, *guard, std::move(work), guarded_handler(std::forward<Handler>(handler)));
    }
};

template <class T>
struct awaited;
template <class T>
struct awaited<boost::asio::awaitable<T>> { using type = T; };

template <class T>
boost::asio::awaitable<void> keep_value(boost::asio::awaitable<T> work, std::optional<T>& value) {
    value.emplace(co_await std::move(work));
}

}  // namespace detail

/// Acquires, runs `body(guard)` on the caller's executor, releases. The body returns an `asio::awaitable<T>`; its
/// value, or what it throws, is the result.
///
/// Errors: those of `acquire`; `errc::lock_lost` when the lock was lost before the body ended, `errc::session_closed`
/// when its session was closed or destroyed: the body is then cancelled (terminal) and waited for. Cancellation:
/// cancels the wait, or the body. Cost: as acquire and release.
/// Threads: the body and its cancellation run on the caller's executor; where several threads run that, call it on a
/// strand, as for everything that is cancelled from outside.
template <class Body>
    requires std::invocable<Body&, lock_guard&>
auto with_lock(lock target, Body body, acquire_options options = {})
    -> std::invoke_result_t<Body&, lock_guard&> {
    using value_type = typename detail::awaited<std::invoke_result_t<Body&, lock_guard&>>::type;

    auto guard = co_await target.acquire(std::move(options));
    auto executor = co_await boost::asio::this_coro::executor;
    const detail::start_guarded start{executor, &guard};
    if constexpr (std::is_void_v<value_type>) {
        auto run = boost::asio::async_initiate<const boost::asio::deferred_t&, void(std::exception_ptr)>(
            start, boost::asio::deferred, body(guard));
        co_await std::move(run);
        co_await guard.release(boost::asio::as_tuple(boost::asio::deferred));
    } else {
        std::optional<value_type> value;
        auto run = boost::asio::async_initiate<const boost::asio::deferred_t&, void(std::exception_ptr)>(
            start, boost::asio::deferred, detail::keep_value(body(guard), value));
        co_await std::move(run);
        co_await guard.release(boost::asio::as_tuple(boost::asio::deferred));
        co_return std::move(*value);
    }
}

}  // namespace dynalease
