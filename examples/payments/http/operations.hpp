// What operators ask a server: whether it is well, and its figures.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/http/front.hpp"
#include "payments/http/server.hpp"
#include "payments/repositories/rows.hpp"

#include <dynalease/client.hpp>
#include <dynalease/session.hpp>

#include <boost/asio/awaitable.hpp>

#include <string>

namespace payments::web {

///     GET /health    200, or 503 when it is draining or has lost its session
///     GET /metrics   for Prometheus
class operations {
public:
    struct sources {
        const dynalease::client& client;
        const dynalease::session& session;
        const tables& rows;
        const front& served;
    };
    explicit operations(const sources& of) : of_(of) {}

    /// The server that all of this runs in, once it is there.
    void serve_with(const server& by) { server_ = &by; }

    bool knows(const request& asked) const;
    boost::asio::awaitable<reply> handle(const request& asked);

private:
    boost::asio::awaitable<std::string> metrics() const;
    reply health() const;

    sources of_;
    const server* server_ = nullptr;
};

}  // namespace payments::web
