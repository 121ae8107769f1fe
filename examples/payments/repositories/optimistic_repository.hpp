// Intents with versions: whoever saves what somebody else changed meanwhile is refused. Nobody waits for anybody.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/repositories/transaction.hpp"

namespace payments {

class optimistic_repository final : public intent_repository {
public:
    explicit optimistic_repository(const tables& where) : tables_(where), transaction_(where, {}) {}

    payments::control control() const noexcept override { return control::optimistic; }
    boost::asio::awaitable<void> create(payment_intent made, ticket* request) override;
    boost::asio::awaitable<intent_data> get(std::string id) override;
    boost::asio::awaitable<std::unique_ptr<unit_of_work>> open(std::string id) override;

private:
    const tables& tables_;
    intent_transaction transaction_;
};

}  // namespace payments
