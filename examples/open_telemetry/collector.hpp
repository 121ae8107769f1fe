// Where spans go: a collector at an address, or one that the program plays itself.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "open_telemetry/spans.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <string>
#include <vector>

namespace telemetry {

/// One POST of OTLP over HTTP. @throws std::runtime_error for any answer but 200, boost::system::system_error for none
boost::asio::awaitable<void> send_spans(std::string host, std::string port, std::string text);

/// Takes what one program sends.
class collector {
public:
    explicit collector(const boost::asio::any_io_executor& executor);

    std::string port() const { return std::to_string(acceptor_.local_endpoint().port()); }
    /// One request: what is in it.
    boost::asio::awaitable<std::vector<span>> receive();

private:
    boost::asio::ip::tcp::acceptor acceptor_;
};

}  // namespace telemetry
