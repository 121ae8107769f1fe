// How the engine tells that requests met a transaction.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/failure.hpp>

#include <vector>

namespace dynalease::local {

inline constexpr const char* transaction_is_ongoing = "Transaction is ongoing for the item";

/// The reason of an action on an item that another request is at work on.
cancellation_reason conflict_reason();

/// A transaction that is refused for these reasons, one for each action.
failure cancelled_for(std::vector<cancellation_reason> reasons);

}  // namespace dynalease::local
