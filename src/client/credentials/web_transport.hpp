// The port through which sources of keys reach other services.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "aws/web.hpp"

#include <dynalease/dynamodb/failure.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>

namespace dynalease::detail {

class web_transport {
public:
    web_transport() = default;
    web_transport(const web_transport&) = delete;
    web_transport& operator=(const web_transport&) = delete;
    virtual ~web_transport() = default;

    /// One attempt. Fails with `errc::unreachable` if nothing was sent, `timeout` and the like if no answer came.
    /// @param limit for the connection, and again for the answer
    virtual boost::asio::awaitable<result<aws::web_answer>> exchange(aws::web_request request,
                                                                     std::chrono::milliseconds limit) = 0;
    /// Ends what is on its way; later requests fail with `errc::shut_down`.
    virtual void close() noexcept = 0;
};

}  // namespace dynalease::detail
