// The two servers that a program runs on: our engine in this process, and another one over HTTP.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/client.hpp>
#include <dynalease/dynamodb/operations.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace dynalease::conformance {

struct reply {
    unsigned status = 0;
    std::string body;
};

class side {
public:
    side() = default;
    side(const side&) = delete;
    side& operator=(const side&) = delete;
    virtual ~side() = default;

    virtual boost::asio::awaitable<result<any_response>> call(any_request request) = 0;
    /// A body as it is, past all clients.
    virtual boost::asio::awaitable<reply> post(std::string_view operation, std::string body) = 0;
};

/// Our server's protocol and engine, without the socket. A new one has no tables.
std::unique_ptr<side> embedded_side();

/// Speaks through our client. The signing keys are those of the environment, as the client reads them.
std::unique_ptr<side> foreign_side(const client& database, std::string url);

}  // namespace dynalease::conformance
