// Work that runs only while something is held: cancelled when that is lost, followed by giving it back.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/detail/initiate.hpp>
#include <dynalease/error.hpp>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/this_coro.hpp>

#include <exception>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#pragma GCC visibility push(default)
namespace dynalease::detail {

using guarded_handler = boost::asio::any_completion_handler<void(std::exception_ptr)>;

template <class Grant>
struct start_guarded {
    boost::asio::any_io_executor executor;
    typename Grant::hold held;
    template <class Handler>
    void operator()(Handler&& handler, boost::asio::awaitable<void> work) const {
        Grant::run(executor, held, std::move(work), guarded_handler(std::forward<Handler>(handler)));
    }
};

template <class Grant>
struct end_of_work {
    typename Grant::hold held;
    bool has_guard;
    void operator()(diagnostics* details, handler_for<void> handler) && {
        Grant::end(held, has_guard, details, std::move(handler));
    }
};

template <class T>
inline constexpr bool is_awaitable = false;
template <class T>
inline constexpr bool is_awaitable<boost::asio::awaitable<T>> = true;

template <class T>
struct awaited;
template <class T>
struct awaited<boost::asio::awaitable<T>> {
    using type = T;
};

/// What work yields; of work that yields nothing, nothing.
template <class T>
using kept_value = std::optional<std::conditional_t<std::is_void_v<T>, std::monostate, T>>;

inline boost::asio::awaitable<void> keep_value(boost::asio::awaitable<void> work, kept_value<void>&) {
    return work;
}
template <class T>
boost::asio::awaitable<void> keep_value(boost::asio::awaitable<T> work, kept_value<T>& value) {
    value.emplace(co_await std::move(work));
}

/// @tparam Grant what is held: `Grant::run(executor, held, work, handler)` runs the work and cancels it (terminal) when
/// the grant is lost or its session closes, and fails with `lock_lost` or `session_closed` then;
/// `end(held, has_guard, details, handler)` gives the grant back after a body that did not throw, or learns how it was
/// given back; `check_kept(held, end, why)` throws if that tells that it had been lost under the body. The body may
/// move the guard away, or give it back itself: what it holds is asked for first.
template <class Grant, class Guard, class Body>
auto run_guarded(Guard guard, Body body) -> std::invoke_result_t<Body&, Guard&> {
    using value_type = typename awaited<std::invoke_result_t<Body&, Guard&>>::type;
    constexpr auto outcome_only = boost::asio::as_tuple(boost::asio::deferred);

    auto executor = co_await boost::asio::this_coro::executor;
    const start_guarded<Grant> start{executor, Grant::held(guard)};
    kept_value<value_type> value;
    auto run = boost::asio::async_initiate<const boost::asio::deferred_t&, void(std::exception_ptr)>(
        start, boost::asio::deferred, keep_value(body(guard), value));
    co_await std::move(run);
    // Whoever cancels from here on is late: the body has ended well.
    const bool throws = co_await boost::asio::this_coro::throw_if_cancelled();
    co_await boost::asio::this_coro::throw_if_cancelled(false);
    diagnostics why;
    const end_of_work<Grant> end{start.held, Grant::held(guard) == start.held};
    auto given_back = co_await initiate<void>(executor, end, why, outcome_only);
    co_await boost::asio::this_coro::throw_if_cancelled(throws);
    Grant::check_kept(start.held, std::get<0>(given_back), why);
    if constexpr (!std::is_void_v<value_type>) co_return std::move(*value);
}

}  // namespace dynalease::detail
#pragma GCC visibility pop
