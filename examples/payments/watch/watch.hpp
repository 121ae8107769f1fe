// The page to watch the system on, live: served by the server itself, with server-sent events.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/http/front.hpp"
#include "payments/http/server.hpp"
#include "payments/watch/snapshot.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>

namespace payments::web {

///     GET  /              the page
///     GET  /live          server-sent events: what is to be seen, twice a second
///     POST /relays/kill   for the page's button: 202, or 404 where nobody is there who could
class watch {
public:
    struct sources {
        observer look;
        const front& served;
        std::function<bool()> kill_a_relay;
    };
    watch(boost::asio::any_io_executor executor, sources of) : executor_(std::move(executor)), of_(std::move(of)) {}

    void serve_with(const server& by) { server_ = &by; }
    bool knows(const request& asked) const;
    boost::asio::awaitable<reply> handle(const request& asked);

private:
    boost::asio::awaitable<void> stream(boost::beast::tcp_stream& peer);
    /// All who watch share one look.
    boost::asio::awaitable<std::string> now();
    std::uint64_t conflicts_per_10s();

    using instant = std::chrono::steady_clock::time_point;
    boost::asio::any_io_executor executor_;
    sources of_;
    const server* server_ = nullptr;
    std::string seen_;
    instant seen_at_{};
    bool looking_ = false;
    std::deque<std::pair<instant, std::uint64_t>> conflicts_;
};

}  // namespace payments::web
