// The rows of a queue: one head with two counters, and one row for each ticket that waits or holds for long.
//
// Ticket t has the turn exactly while `passed` is one below the first number that its row covers. No row names a
// holder: the write that moves `passed` is the grant of the next ticket, and needs to know nothing of who that is.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "session/protocol/row.hpp"

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/dynamodb/item.hpp>
#include <dynalease/runtime/time.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace dynalease::protocol {

namespace attribute {
inline constexpr const char* tail = "tail";
inline constexpr const char* last = "last";
inline constexpr const char* pace = "pace";
inline constexpr const char* session = "session";
inline constexpr const char* from = "from";
inline constexpr const char* void_ticket = "void";
inline constexpr const char* skipped = "skipped";
inline constexpr const char* skipped_passed = "skipped_passed";
}  // namespace attribute

inline constexpr std::string_view queue_prefix = "queue#";
/// Ticket numbers are written so wide, so that their texts sort as the numbers do.
inline constexpr std::size_t ticket_digits = 38;
/// The counter stops here, where 64 bits end; a counter beyond it is not ours.
inline constexpr std::int64_t last_ticket_ever = std::numeric_limits<std::int64_t>::max() - 1;

/// A queue: an entity, and for what reason it is queued for. Each reason is an independent queue.
struct queue_name {
    std::string entity;
    std::string reason;  ///< without '/', which ends it in the sort key
    friend bool operator==(const queue_name&, const queue_name&) = default;
};

/// For people: "entity (reason)".
std::string words_of_queue(const queue_name& queue);

item_key queue_head_key(const queue_name& queue);
item_key ticket_key(const queue_name& queue, std::int64_t ticket);
/// The sort key of a ticket's row.
std::string ticket_sort_key(const queue_name& queue, std::int64_t ticket);

/// Everything in it only grows, so that an old sight may delay a decision but never make it wrong.
struct queue_head {
    std::int64_t tail = 0;              ///< the last ticket that was issued
    std::int64_t passed = 0;            ///< all tickets up to it are over
    std::string last{};                 ///< the attempt that was issued `tail`
    std::chrono::milliseconds pace{0};  ///< how long turns take, smoothed; 0: not known. A hint for those who wait
    /// Numbers that were never issued, because several queues were entered under one: up to `tail`, and up to `passed`.
    /// They only tell how many tickets there are, for the pace of polls and for people; where rows of before a restore
    /// were passed, not exactly, until the next turn ends.
    std::int64_t skipped = 0;
    std::int64_t skipped_passed = 0;

    /// Tickets that are not over.
    std::int64_t outstanding() const { return std::min(tail - skipped - (passed - skipped_passed), tail - passed); }
    bool free() const { return tail == passed; }
    friend bool operator==(const queue_head&, const queue_head&) = default;
};

/// A ticket's row goes from absent to live or void, from live to void, and is deleted only when it was passed.
struct ticket_row {
    std::int64_t ticket = 0;
    std::int64_t from =
        0;  ///< the first number it covers; smaller than `ticket` when several queues were entered at once
    bool is_void = false;   ///< its owner gave it up, or it was buried before it landed
    std::string session{};  ///< whose it is; of a void row, who wrote it
    std::string attempt{};
    std::string owner{};  ///< for people
    wall_time since{};    ///< by the owner's clock; for people
    item data{};
    friend bool operator==(const ticket_row&, const ticket_row&) = default;
};

/// Fail with `errc::unsupported_version` or `errc::corrupt_row`; the row is then to be left alone.
result<queue_head> parse_queue_head(const item& row);
result<ticket_row> parse_ticket_row(const item& row);

}  // namespace dynalease::protocol
