// An HTTP client for one server: connections are kept and used again, and each request has a deadline.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/http/message.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>

namespace payments::web {

/// All of it runs on one serial executor.
class client {
public:
    /// @param port of a server on the loopback
    client(boost::asio::any_io_executor executor, std::uint16_t port, std::chrono::milliseconds patience)
        : executor_(std::move(executor)), port_(port), patience_(patience) {}
    client(const client&) = delete;
    client& operator=(const client&) = delete;

    /// Empty: no answer came, and the request may have been carried out. One that finds a kept connection closed is
    /// sent again on a new one: only for requests that may be carried out twice.
    boost::asio::awaitable<std::optional<response>> ask(request wanted);

    static request make(http::verb method, std::string target, std::string body);

private:
    boost::asio::awaitable<std::optional<response>> ask_on(boost::beast::tcp_stream& stream, const request& wanted);

    boost::asio::any_io_executor executor_;
    std::uint16_t port_;
    std::chrono::milliseconds patience_;
    std::list<boost::beast::tcp_stream> kept_;
};

}  // namespace payments::web
