// The books at the end of the day: what the gateway withdrew against what is recorded, and what customers were told.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/demo/customers.hpp"
#include "payments/gateway/http_gateway.hpp"
#include "payments/relay/outbox.hpp"
#include "payments/repositories/rows.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace payments::demo {

struct books {
    std::size_t intents = 0;
    std::size_t charges = 0;  ///< intents whose charge is over, one way or the other
    std::size_t waiting = 0;  ///< intents whose charge is not
    std::size_t outbox_left = 0;
    std::int64_t recorded = 0;   ///< money, by the intents that say CHARGED
    std::int64_t withdrawn = 0;  ///< money, by the gateway
    std::size_t double_charges = 0;
    /// Intents that say another amount than was withdrawn, or than their customer was told.
    std::size_t lost_updates = 0;
    std::string first_lost{};  ///< one of them, in words

    bool settled() const noexcept { return waiting == 0 && outbox_left == 0; }
};

class auditor {
public:
    auditor(const tables& where, http_gateway& bank, web::client& gateway)
        : tables_(where), outbox_(where), bank_(bank), gateway_(gateway) {}

    /// Quickly: what is still under way.
    boost::asio::awaitable<books> glance(const std::vector<customer>& all);
    /// All of it, with every charge asked of the gateway.
    boost::asio::awaitable<books> close(const std::vector<customer>& all);

private:
    boost::asio::awaitable<std::vector<intent_data>> read(const std::vector<customer>& all);

    const tables& tables_;
    outbox outbox_;
    http_gateway& bank_;
    web::client& gateway_;
};

}  // namespace payments::demo
