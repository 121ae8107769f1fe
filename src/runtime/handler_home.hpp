// Calls a completion handler later, on the executor it belongs to.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "runtime/serial_executor.hpp"

#include <boost/asio/any_completion_executor.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>

#include <new>
#include <tuple>
#include <utility>

namespace dynalease::runtime {

/// The executor that a handler belongs to.
class handler_home {
public:
    /// @param serial where what is waited for ends; the home of a handler that has none of its own.
    template <class Handler>
    handler_home(const Handler& handler, const boost::asio::any_io_executor& serial)
        : serial_(serial), executor_(boost::asio::get_associated_executor(handler, serial)) {
        // Boost 1.81 gives an executor that is empty, and crashes when it is asked anything, where there is no memory
        // for it.
        if (!executor_) throw std::bad_alloc();
        within_ = executor_ == boost::asio::any_completion_executor(serial);
    }

    /// From now on the context of the handler does not run out of work before the handler was called.
    void keep_running() {
        executor_ = boost::asio::prefer(executor_, boost::asio::execution::outstanding_work.tracked);
    }

    /// Calls `handler(arguments...)` there: never inside this call, and never within the serial executor unless that is
    /// where it belongs.
    template <class Handler, class... Arguments>
    void post(Handler handler, Arguments... arguments) && {
        auto call = [handler = std::move(handler), arguments = std::make_tuple(std::move(arguments)...)]() mutable {
            std::apply([&handler](Arguments&... unpacked) { std::move(handler)(std::move(unpacked)...); }, arguments);
        };
        if (within_) {
            boost::asio::post(serial_, std::move(call));
            return;
        }
        // `any_completion_executor` cannot be posted to.
        boost::asio::post(outside(serial_), [executor = std::move(executor_), call = std::move(call)]() mutable {
            boost::asio::dispatch(executor, std::move(call));
        });
    }

private:
    boost::asio::any_io_executor serial_;
    boost::asio::any_completion_executor executor_;
    bool within_ = false;  // told before it is tracked: an executor that is does not equal what it was
};

}  // namespace dynalease::runtime
