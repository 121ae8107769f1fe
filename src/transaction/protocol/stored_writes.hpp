// What a transaction wants written, as it stands in its row: so that another process can carry it on, or undo it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "transaction/protocol/planned_writes.hpp"
#include "transaction/protocol/transaction_header.hpp"
#include "transaction/protocol/transaction_requests.hpp"

#include <dynalease/dynamodb/attribute_value.hpp>
#include <dynalease/dynamodb/failure.hpp>

#include <vector>

namespace dynalease::protocol {

/// A whole plan, as its row keeps it. Its fences are not stored: nobody else may commit it.
stored_plan stored(const transaction_plan& plan);

/// The plan of a row that is not done, but for the stamps of its writes. Fails as `planned_in`.
result<transaction_plan> plan_in(const transaction_header& header);

/// As attributes, for people to read too. Without the stamps: whoever carries it on draws its own.
attribute_list stored(const std::vector<planned_item>& items);

/// Fails with `errc::corrupt_row` if it is nothing that `stored` gives.
result<std::vector<planned_item>> planned_in(const attribute_list& writes);

}  // namespace dynalease::protocol
