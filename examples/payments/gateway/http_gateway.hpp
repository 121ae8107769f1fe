// The gateway, over HTTP.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/gateway/gateway.hpp"
#include "payments/http/client.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace payments {

class http_gateway final : public gateway {
public:
    /// @param patience for an answer
    /// @param callback ports of our servers, with commas between them: where outcomes that come later are delivered
    http_gateway(boost::asio::any_io_executor executor, std::uint16_t port, std::chrono::milliseconds patience,
                 std::string callback)
        : line_(std::move(executor), port, patience), callback_(std::move(callback)) {}

    boost::asio::awaitable<std::optional<charge_answer>> charge(charge_order order) override;
    boost::asio::awaitable<bool> submit(charge_order order) override;
    boost::asio::awaitable<enquiry> ask(std::string key) override;

private:
    web::client line_;
    std::string callback_;
};

}  // namespace payments
