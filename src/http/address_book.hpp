// Which addresses of a host to try, in which order, and what to do when the name service is away.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/runtime/clock.hpp>

#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace dynalease::http {

using tcp_address = boost::asio::ip::tcp::endpoint;

/// The addresses of a host that needs no name service: a numeric one, or "localhost". Empty: ask.
std::vector<tcp_address> known_addresses(const std::string& host, std::uint16_t port);

class address_book {
public:
    using time_point = clock::time_point;

    /// The answer of the name service. What it said before stays in use until the next answer.
    void resolved(std::vector<tcp_address> addresses, time_point now);
    /// Whether the last answer is young enough to open another connection without asking again.
    bool fresh(time_point now) const;
    /// To be tried in this order: as the name service said, but those that failed last.
    std::vector<tcp_address> candidates() const;

    void connected(const tcp_address& address);
    void failed(const tcp_address& address);

private:
    std::vector<tcp_address> addresses_;
    std::vector<tcp_address> failed_;
    time_point resolved_at_{};
};

}  // namespace dynalease::http
