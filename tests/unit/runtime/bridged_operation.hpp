// An operation made as the library's verbs are: a coroutine behind the bridge, started with any completion token.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "runtime/cancellation.hpp"
#include "runtime/spawn.hpp"
#include "runtime/waiter_list.hpp"

#include <dynalease/detail/initiate.hpp>
#include <dynalease/runtime/environment.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/post.hpp>

#include <memory>
#include <tuple>
#include <utility>

namespace dynalease::runtime {

/// Like a lock's guard: move-only, with an empty state.
struct parcel {
    std::unique_ptr<int> content;
};

inline boost::asio::awaitable<completion<parcel>> deliver_after(environment environment, clock::duration time,
                                                                int content) {
    completion<parcel> result;
    const auto when = environment.clock->now() + time;
    const auto waited =
        co_await environment.clock->async_wait_until(when, boost::asio::as_tuple(boost::asio::deferred));
    result.code = std::get<0>(waited);
    if (!result.code) result.value.content = std::make_unique<int>(content);
    co_return result;
}

struct deliver {
    environment where;
    clock::duration time;
    int content;

    void operator()(diagnostics*, completion_handler<parcel> handler) const {
        spawn<parcel>(where.executor, deliver_after(where, time, content), std::move(handler));
    }
};

template <class Token>
auto async_deliver(const environment& where, clock::duration time, int content, Token&& token) {
    return dynalease::detail::initiate<parcel>(where.executor, deliver{where, time, content},
                                               std::forward<Token>(token));
}

/// Some turns of the executor, then a place in a line.
inline boost::asio::awaitable<completion<parcel>> stand_in_line(boost::asio::any_io_executor executor,
                                                                std::shared_ptr<waiter_list<parcel>> line,
                                                                unsigned turns) {
    for (unsigned i = 0; i < turns; ++i) co_await boost::asio::post(executor, boost::asio::deferred);
    completion<parcel> result;
    const bool cancelled = co_await cancellation_requested();
    if (cancelled) {
        result.code = boost::asio::error::operation_aborted;
        co_return result;
    }
    auto served = co_await line->async_wait(boost::asio::as_tuple(boost::asio::deferred));
    result.code = std::get<0>(served);
    result.value = std::get<1>(std::move(served));
    co_return result;
}

}  // namespace dynalease::runtime
