// Use cases: a payment intent is created, looked at, and its amount is changed.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/domain/payment_intent.hpp"
#include "payments/repositories/intent_repository.hpp"
#include "payments/repositories/request_store.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <string>

namespace payments {

struct new_intent {
    std::string id{};  ///< "pi_..." and something that nobody else has
    std::string customer{};
    std::int64_t amount = 0;
    std::string currency{};
};

/// @throws refused, as all of them
boost::asio::awaitable<intent_data> create_intent(intent_repository& intents, new_intent wanted, ticket* request);
boost::asio::awaitable<intent_data> get_intent(intent_repository& intents, std::string id);
boost::asio::awaitable<intent_data> change_amount(intent_repository& intents, std::string id, std::int64_t amount,
                                                  ticket* request);

}  // namespace payments
