// Opens connections to one endpoint: addresses, TCP, TLS, all within one deadline.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "http/address_book.hpp"
#include "http/connection.hpp"
#include "http/endpoint.hpp"
#include "http/name_service.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynalease::http {

struct connector_options {
    endpoint server;
    std::shared_ptr<boost::asio::ssl::context> tls{};  ///< for a secure server
    std::optional<http::proxy> proxy{};                ///< before a secure server, whose name it looks up
    clock::duration timeout = std::chrono::seconds(1);
    response_limits limits{};
    std::string_view id_header{};           ///< static text: a header by which the server's answers differ
    std::shared_ptr<name_service> names{};  ///< empty: the system's
};

/// Numeric addresses and "localhost" are used as they are. For other names the name service is asked, one question at a
/// time; while it fails, or is slow to answer, the last good addresses serve on.
class connector : public std::enable_shared_from_this<connector> {
public:
    struct opened {
        std::shared_ptr<http::connection> connection;  ///< empty on failure
        error_code error;                              ///< `errc::unreachable`, `errc::tls_failed`, `errc::shut_down`
        std::string problem;                           ///< in words, with the address
    };
    using handler = std::function<void(opened)>;

    connector(environment world, std::shared_ptr<deadlines> timing, connector_options options);

    /// Calls `done` once, on the environment's executor, never inside this call; not if it throws.
    void open(handler done);
    /// What is being opened fails with `errc::shut_down`, or is dropped with its handler if no loop runs any more.
    void close() noexcept;

private:
    class opening;
    using addresses_handler = std::function<void(const std::string& problem)>;

    /// Whom to connect to: the proxy, or the server.
    const endpoint& next_hop() const noexcept { return options_.proxy ? options_.proxy->where : options_.server; }

    void find_addresses(addresses_handler done);
    void addresses_found(const error_code& error, std::vector<tcp_address> found);

    environment world_;
    std::shared_ptr<deadlines> timing_;
    connector_options options_;
    address_book addresses_;
    std::vector<addresses_handler> asking_;
    std::vector<std::weak_ptr<opening>> under_way_;
};

}  // namespace dynalease::http
