// An HTTP server in coroutines: keep-alive, limits, deadlines, and an end that lets what was begun be finished.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/http/message.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>

namespace payments::web {

struct server_limits {
    std::size_t body = 16 * 1024;              ///< bytes; more is answered with 413
    std::uint32_t head = 8 * 1024;             ///< bytes of the request line and the fields; more is answered with 431
    std::size_t connections = 4'000;           ///< one more is answered with 503
    std::chrono::milliseconds idle{30'000};    ///< until a request's head is there; then the connection is closed
    std::chrono::milliseconds receive{5'000};  ///< for the body after its head, and for the peer to take an answer
    std::chrono::milliseconds work{5'000};     ///< for a request; then it is cancelled and answered with 504
};

struct server_counts {
    std::uint64_t accepted = 0;
    std::uint64_t turned_away = 0;  ///< for want of room
    std::uint64_t requests = 0;
    std::uint64_t malformed = 0;  ///< no HTTP, or too large
    std::uint64_t timed_out = 0;  ///< requests that were cancelled
    std::size_t open = 0;         ///< now
};

/// All of it runs on one serial executor.
class server {
public:
    using handler = std::function<boost::asio::awaitable<reply>(const request& asked)>;

    /// Listens on the loopback at once. @param port 0: any that is free
    server(boost::asio::any_io_executor executor, std::uint16_t port, handler handle, server_limits limits = {});
    server(const server&) = delete;
    server& operator=(const server&) = delete;

    std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
    const server_counts& counts() const noexcept { return counts_; }
    bool draining() const noexcept { return draining_; }

    /// Takes connections until `drain`.
    boost::asio::awaitable<void> run();
    /// Takes none any more, closes those that are idle, and lets requests that have begun be answered; whatever is not
    /// over in time is cut off.
    boost::asio::awaitable<void> drain(std::chrono::milliseconds limit);

private:
    struct connection {
        explicit connection(boost::asio::ip::tcp::socket socket)
            : stream(std::move(socket)), deadline(stream.get_executor()) {}
        boost::beast::tcp_stream stream;
        boost::asio::steady_timer deadline;  ///< of the request that is worked on; its end cancels the work
        bool idle = true;
    };
    using place = std::list<connection>::iterator;

    boost::asio::awaitable<void> serve(place at);
    boost::asio::awaitable<bool> serve_one(connection& peer, boost::beast::flat_buffer& buffer);
    boost::asio::awaitable<reply> guarded(const request& asked);
    boost::asio::awaitable<reply> work_on(connection& peer, const request& asked);
    boost::asio::awaitable<void> refuse(connection& peer, http::status status, const char* code, const char* why);
    void left(place at);

    boost::asio::any_io_executor executor_;
    boost::asio::ip::tcp::acceptor acceptor_;
    handler handle_;
    server_limits limits_;
    server_counts counts_;
    std::list<connection> connections_;
    boost::asio::steady_timer changed_;
    bool draining_ = false;
};

}  // namespace payments::web
