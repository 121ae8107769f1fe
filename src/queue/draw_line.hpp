// Those of one process that draw tickets of one queue, one after the other.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "runtime/waiter_list.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>

#include <utility>

namespace dynalease::detail {

class draw_line {
public:
    explicit draw_line(const boost::asio::any_io_executor& executor) : next_(executor) {}

    /// Somebody draws, or is about to.
    bool drawing() const noexcept { return drawing_; }
    /// Ends when all who came before have drawn. @returns at once where nobody is here: those come first who ask first
    boost::asio::awaitable<void> begin() {
        if (!std::exchange(drawing_, true)) co_return;
        co_await next_.async_wait(boost::asio::as_tuple(boost::asio::deferred));
    }
    void end() {
        if (!next_.complete_one({})) drawing_ = false;
    }

private:
    bool drawing_ = false;
    runtime::waiter_list<runtime::unit> next_;
};

}  // namespace dynalease::detail
