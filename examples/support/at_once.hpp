// Many small pieces of asynchronous work, so many at a time.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>

namespace support {

namespace detail {

template <class Body>
struct at_once_state {
    Body& body;
    std::size_t count;
    std::size_t next = 0;
    std::size_t running = 0;
    std::exception_ptr failure{};
    boost::asio::steady_timer all_done;
};

template <class Body>
boost::asio::awaitable<void> take_turns(at_once_state<Body>& state) {
    while (state.next < state.count && !state.failure) co_await state.body(state.next++);
}

}  // namespace detail

/// Awaits `body(0)` to `body(count - 1)`, `width` of them at any time; throws what the first that failed threw.
/// Runs on the caller's executor, which must be serial.
template <class Body>
boost::asio::awaitable<void> at_once(std::size_t width, std::size_t count, Body body) {
    const auto executor = co_await boost::asio::this_coro::executor;
    detail::at_once_state<Body> state{
        .body = body,
        .count = count,
        .all_done = boost::asio::steady_timer(executor, boost::asio::steady_timer::time_point::max())};
    state.running = std::min(width, count);
    for (std::size_t i = std::min(width, count); i > 0; --i) {
        boost::asio::co_spawn(executor, detail::take_turns(state), [&state](std::exception_ptr failure) {
            if (failure && !state.failure) state.failure = failure;
            if (--state.running == 0) state.all_done.cancel();
        });
    }
    while (state.running > 0) co_await state.all_done.async_wait(boost::asio::as_tuple(boost::asio::deferred));
    if (state.failure) std::rethrow_exception(state.failure);
}

}  // namespace support
