// What the office and its clerks agree on.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/item.hpp>
#include <dynalease/queue.hpp>

#include <chrono>
#include <cstddef>
#include <string>

namespace tickets {

inline constexpr const char* table = "office";
inline constexpr const char* order = "order/4711";
inline constexpr const char* reason = "shipping";

inline constexpr std::size_t clerks = 5;
inline constexpr std::size_t turns_each = 4;
inline constexpr std::chrono::milliseconds work_time{150};

/// Short, so that the dead one is skipped while somebody watches.
inline constexpr std::chrono::milliseconds lease{2000};

inline dynalease::session_options session_of(std::string name) {
    dynalease::session_options options;
    options.table = table;
    options.owner = std::move(name);
    options.lease = lease;
    return options;
}

inline dynalease::queue order_queue(dynalease::session& session) {
    dynalease::queue_options options;
    options.reason = reason;
    return dynalease::queue{session, order, options};
}

/// The order itself, an item of the application's: attribute `history` lists the tickets that changed it.
inline dynalease::item_key order_key() {
    return {{"pk", order}, {"sk", "-"}};
}

}  // namespace tickets
