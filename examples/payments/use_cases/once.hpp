// What has an Idempotency-Key is done once, however often it is asked for.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/domain/payment_intent.hpp"
#include "payments/repositories/request_store.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <string>

namespace payments {

/// A use case, under the ticket of the request; null: it has none.
using use_case = std::function<boost::asio::awaitable<intent_data>(ticket* request)>;

/// Runs it under the key, or tells what was answered before. An empty key: just runs it.
/// @throws refused with `problem::payload_differs` or `in_progress`, and what the use case throws. What is for good is
/// kept and told again; of anything else the request can be tried again.
boost::asio::awaitable<intent_data> once(request_store& requests, std::string key, std::string fingerprint,
                                         use_case work);

}  // namespace payments
