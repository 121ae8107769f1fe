// A peer that answers each request with the bytes it is told to, however wrong, and counts what it saw.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace support {

/// What to do when a whole request has been read.
struct reaction {
    std::string bytes{};             ///< sent first
    bool close = false;              ///< then close the connection
    std::function<void()> before{};  ///< called before the bytes are sent
};

/// An HTTP/1.1 answer with a Content-Length.
std::string answer(unsigned status, std::string_view body, std::string_view more_headers = {});

class scripted_server {
public:
    using script = std::function<reaction(std::size_t number, const std::string& request)>;

    /// Listens on a free port of 127.0.0.1 until destroyed. `number` counts requests from 0.
    scripted_server(const boost::asio::any_io_executor& executor, script behaviour,
                    std::shared_ptr<boost::asio::ssl::context> tls = nullptr);
    ~scripted_server();
    scripted_server(const scripted_server&) = delete;
    scripted_server& operator=(const scripted_server&) = delete;

    std::uint16_t port() const;
    std::size_t connections() const;
    const std::vector<std::string>& requests() const;
    /// Sends these bytes, which nobody has asked for, on every connection that is open now.
    void say(std::string_view bytes);
    /// Closes every connection that is open now, but goes on listening.
    void hang_up();
    void stop();

private:
    struct state;
    std::shared_ptr<state> state_;
};

}  // namespace support
