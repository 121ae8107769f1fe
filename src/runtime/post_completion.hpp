// Calls a completion handler later, on the executor it belongs to.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "runtime/outside.hpp"

#include <boost/asio/any_completion_executor.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>

#include <new>
#include <tuple>
#include <utility>

namespace dynalease::runtime {

/// Where a handler belongs. Boost 1.81 gives an executor that is empty, and crashes when it is asked anything, where there
/// is no memory for it.
template <class Handler>
auto executor_of(const Handler& handler, const boost::asio::any_io_executor& otherwise) {
    auto found = boost::asio::get_associated_executor(handler, otherwise);
    if (!found) throw std::bad_alloc();
    return found;
}

/// Calls `handler(arguments...)` on `handler_executor`: never inside this call, and never within `executor`, a serial
/// one, unless that is where it belongs.
template <class Handler, class... Arguments>
void post_completion(const boost::asio::any_io_executor& executor,
                     boost::asio::any_completion_executor handler_executor, Handler handler, Arguments... arguments) {
    auto call = [handler = std::move(handler), arguments = std::make_tuple(std::move(arguments)...)]() mutable {
        std::apply([&handler](Arguments&... unpacked) { std::move(handler)(std::move(unpacked)...); }, arguments);
    };
    if (handler_executor == boost::asio::any_completion_executor(executor)) {
        boost::asio::post(executor, std::move(call));
        return;
    }
    // `any_completion_executor` cannot be posted to.
    boost::asio::post(outside(executor),
                      [handler_executor = std::move(handler_executor), call = std::move(call)]() mutable {
                          boost::asio::dispatch(handler_executor, std::move(call));
                      });
}

}  // namespace dynalease::runtime
