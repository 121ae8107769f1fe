// HTTP for the sources of credentials: a connection for each request, because they are fetched a few times a day.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "aws/config_source.hpp"
#include "client/credentials/web_transport.hpp"
#include "http/pool.hpp"

#include <dynalease/runtime/environment.hpp>

#include <map>
#include <memory>
#include <string>

namespace dynalease::detail {

class http_transport final : public web_transport {
public:
    /// @param ca_file as in `http::tls_options`; read when a secure server is asked first
    /// @param proxy as `aws::resolve_proxy` takes it
    http_transport(environment world, std::string ca_file, std::string proxy, aws::config_source config);
    ~http_transport() override;

    boost::asio::awaitable<result<aws::web_answer>> exchange(aws::web_request request,
                                                             std::chrono::milliseconds limit) override;
    void close() noexcept override;

private:
    struct server {
        std::shared_ptr<http::connector> connector;
        std::shared_ptr<http::pool> pool;
    };

    result<server> server_of(const aws::endpoint& where, std::chrono::milliseconds limit);
    result<std::shared_ptr<boost::asio::ssl::context>> tls();

    environment world_;
    std::string ca_file_;
    std::string proxy_;
    aws::config_source config_;
    std::shared_ptr<http::deadlines> timing_;
    std::shared_ptr<boost::asio::ssl::context> tls_;
    std::map<std::string, server> servers_;  // by URL: where addresses that were good are remembered
    bool closed_ = false;
};

}  // namespace dynalease::detail
