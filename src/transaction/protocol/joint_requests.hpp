// The requests that write, test or read several items at once.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "transaction/protocol/plan_limits.hpp"
#include "transaction/protocol/planned_writes.hpp"

#include <dynalease/dynamodb/operations.hpp>
#include <dynalease/item/item_ref.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::protocol {

/// The whole transaction: its outcome, where it keeps that, then its writes, then its checks. Leaves the items as marks
/// and their ends would.
/// @param over the run of this id that was rolled back, as it was seen @param expiry of the outcome, in seconds
transact_write_items_request native_call_of(const std::string& coordination, const transaction_plan& plan,
                                            const std::optional<std::string>& over, std::int64_t expiry);

/// A whole write to an item, which demands that nobody holds it.
transact_write write_at_once(const planned_item& what);

/// What both demand of one item or row, for a call names each once.
void add_fence(condition_check& to, const condition_check& fence);

/// That an item is as it was seen, by whoever only read it; and as is demanded.
condition_check check_item(const planned_check& what);

/// Up to a hundred items as they lie there at one moment; refused while others write one of them.
transact_get_items_request look_at_one_moment(const std::vector<item_ref>& items);
/// Up to a hundred items, each as it lies there at a moment of its own.
batch_get_item_request look_at_each(const std::vector<item_ref>& items);

}  // namespace dynalease::protocol
