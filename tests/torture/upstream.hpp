// A connection to the store, made when it is needed.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "torture/traffic.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <optional>

namespace torture {

/// Where the store listens now; it moves when it is started anew.
struct store_address {
    boost::asio::ip::tcp::endpoint endpoint{};
};

class upstream {
public:
    upstream(boost::asio::any_io_executor executor, const store_address& store);

    /// @returns nothing when the store is not there, or went away; it may have done what was asked.
    boost::asio::awaitable<std::optional<http_response>> exchange(const http_request& request);

private:
    boost::asio::any_io_executor executor_;
    const store_address& store_;
    std::optional<boost::asio::ip::tcp::socket> socket_{};
};

}  // namespace torture
