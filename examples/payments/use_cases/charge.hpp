// Use case: a customer pays.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/domain/payment_intent.hpp"
#include "payments/gateway/gateway.hpp"
#include "payments/repositories/intent_repository.hpp"
#include "payments/repositories/request_store.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>

namespace payments {

/// @param request the ticket of its Idempotency-Key; null: it has none
/// @returns the intent: CHARGED or CHARGE_FAILED; or CHARGE_REQUESTED, and the outcome comes later.
/// @throws refused, if it is not as it must be to be charged, or others are at it. Then nothing has happened.
boost::asio::awaitable<intent_data> charge(intent_repository& intents, gateway& bank, std::string id, ticket* request);

}  // namespace payments
