// Waiting for one item: what every verb that locks items does for each of them.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item_lock/item_lock_impl.hpp"

#include <dynalease/dynamodb/failure.hpp>

#include <boost/asio/awaitable.hpp>

#include <optional>

namespace dynalease::detail {

struct item_wish {
    item_target target;
    protocol::item_access access;
    bool tries = false;  ///< only if nobody else has it
    /// How long to wait; empty: until the session is over. No time at all is a try that fails.
    std::optional<std::chrono::nanoseconds> wait{};
};

/// The grant, or why there is none. A try of an item in other hands gives neither.
struct item_answer {
    item_guard guard{};
    std::optional<failure> why{};
};

/// On the database's executor. Answers a cancellation at once, and leaves what must be resolved to the item's front.
boost::asio::awaitable<item_answer> acquire_item(item_wish wish);

}  // namespace dynalease::detail
