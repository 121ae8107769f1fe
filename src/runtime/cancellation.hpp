// Whether the operation that a coroutine belongs to has been cancelled.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/this_coro.hpp>

namespace dynalease::runtime {

/// A cancellation reaches the wait that is under way at that moment. One that comes between two waits is only
/// remembered: a coroutine behind `spawn` asks for it before each wait that may be long.
inline boost::asio::awaitable<bool> cancellation_requested() {
    const auto state = co_await boost::asio::this_coro::cancellation_state;
    co_return state.cancelled() != boost::asio::cancellation_type::none;
}

}  // namespace dynalease::runtime
