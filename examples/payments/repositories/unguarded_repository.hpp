// Intents without any concurrency control, to show what goes wrong: whoever writes last wins. Not to be copied.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/repositories/intent_repository.hpp"
#include "payments/repositories/rows.hpp"

namespace payments {

class unguarded_repository final : public intent_repository {
public:
    explicit unguarded_repository(const tables& where) : tables_(where) {}

    payments::control control() const noexcept override { return control::none; }
    boost::asio::awaitable<void> create(payment_intent made, ticket* request) override;
    boost::asio::awaitable<intent_data> get(std::string id) override;
    boost::asio::awaitable<std::unique_ptr<unit_of_work>> open(std::string id) override;

private:
    const tables& tables_;
};

}  // namespace payments
