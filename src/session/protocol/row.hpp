// The rows of the coordination table: what they have in common, and what a session looks like at rest.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "database/protocol/coordination_key.hpp"

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/dynamodb/item.hpp>
#include <dynalease/runtime/time.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynalease::protocol {

/// The schema of every row; a row with another number is refused, never written.
inline constexpr std::int64_t schema_version = 1;

/// Attribute names. Every one of them goes through ExpressionAttributeNames: many are reserved words.
namespace attribute {
inline constexpr const char* version = "v";
inline constexpr const char* time_to_live = "ttl";
inline constexpr const char* state = "state";
inline constexpr const char* beat = "beat";
inline constexpr const char* beat_time = "beat_time";
inline constexpr const char* lease = "lease";
inline constexpr const char* owner = "owner";
inline constexpr const char* creation = "creation";
inline constexpr const char* marked_by = "by";
inline constexpr const char* attempt = "attempt";
inline constexpr const char* passed = "passed";
inline constexpr const char* since = "since";
inline constexpr const char* data = "data";
}  // namespace attribute

/// The number of a heartbeat that none can follow.
inline constexpr std::int64_t last_beat = std::numeric_limits<std::int64_t>::max();

item_key session_key(std::string_view id);

struct session_row {
    bool alive = false;
    std::int64_t beat = 0;
    std::chrono::milliseconds lease{};
    std::string owner{};
    std::string creation{};   ///< the request that made it
    std::string marked_by{};  ///< who declared it dead, or has revoked it
    /// When that heartbeat was sent, by the clock of who sent it; for people. The epoch: in rows of former versions.
    wall_time beat_time{};
};

/// The longest lease that a row may name: a day. Anything above is damage, and its nanoseconds might not be countable.
inline constexpr std::chrono::milliseconds longest_lease = std::chrono::hours(24);

/// For people: what is no number is as nothing.
wall_time time_in(const item& row, std::string_view attribute);

/// Fails with `errc::unsupported_version` or `errc::corrupt_row`; the row is then to be left alone.
result<session_row> parse_session_row(const item& row);

// What the readers of other rows build on.
item_key row_key(std::string prefix, std::string_view name);
failure refused_row(errc code, const item& row, std::string message);
failure corrupt_row(const item& row, std::string_view attribute);
/// Empty if the row's schema is ours.
std::optional<failure> check_schema(const item& row);

}  // namespace dynalease::protocol
