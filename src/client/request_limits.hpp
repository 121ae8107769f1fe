// What the service would refuse for its size is not sent.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/dynamodb/operations.hpp>

#include <cstddef>
#include <optional>

namespace dynalease::detail {

/// The first limit of DynamoDB that a request breaks, of those that can be told without the table: items of 400 KB,
/// batches of 25 and 100, transactions of 100 actions and 4 MB, keys of 2048 and 1024 bytes, expressions of 4 KB.
/// `errc::item_too_large` for an item or the items of a transaction, else `errc::invalid_option`; the message names
/// field and limit.
/// @param encoded the size of the request's body, which no item in it can exceed
std::optional<failure> beyond_limits(const any_request& request, std::size_t encoded);

}  // namespace dynalease::detail
