// Use case: the gateway has answered. Its answers come twice, late, in any order, or when nobody waits for one.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/domain/charge.hpp"
#include "payments/repositories/intent_repository.hpp"

#include <boost/asio/awaitable.hpp>

namespace payments {

/// @returns whether it made a difference: one that was taken in before, or that nobody waits for, makes none.
/// @throws refused with `problem::not_found`, or with what others keep doing to the intent: deliver it again.
boost::asio::awaitable<bool> settle(intent_repository& intents, charge_answer answer);

}  // namespace payments
