// The rows of the coordination table: what sessions and locks look like at rest.
#pragma once

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/dynamodb/item.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynalease::protocol {

/// The schema of every row; a row with another number is refused, never written.
inline constexpr std::int64_t schema_version = 1;
/// Processes that may stand in a lock's line.
inline constexpr std::size_t line_capacity = 24;

/// Attribute names. Every one of them goes through ExpressionAttributeNames: many are reserved words.
namespace attribute {
inline constexpr const char* partition = "pk";
inline constexpr const char* sort = "sk";
inline constexpr const char* version = "v";
inline constexpr const char* time_to_live = "ttl";
inline constexpr const char* state = "state";
inline constexpr const char* beat = "beat";
inline constexpr const char* lease = "lease";
inline constexpr const char* owner = "owner";
inline constexpr const char* creation = "creation";
inline constexpr const char* marked_by = "by";
inline constexpr const char* floor = "floor";
inline constexpr const char* token = "token";
inline constexpr const char* holder = "holder";
inline constexpr const char* attempt = "attempt";
inline constexpr const char* line = "line";
inline constexpr const char* passed = "passed";
inline constexpr const char* data = "data";
}  // namespace attribute

inline constexpr std::string_view lock_prefix = "lock#";

item_key session_key(std::string_view id);
item_key lock_key(std::string_view name);

struct session_row {
    bool alive = false;
    std::int64_t beat = 0;
    std::chrono::milliseconds lease{};
    std::string owner{};
    std::string creation{};   ///< the request that made it
    std::string marked_by{};  ///< who declared it dead
};

/// Who a lock row names: an attempt is never reused, so that the pair names one grant for ever.
struct lock_holder {
    std::string session;
    std::int64_t attempt = 0;
    friend bool operator==(const lock_holder&, const lock_holder&) = default;
};

struct lock_row {
    std::int64_t floor = 0;  ///< the highest token granted or voided; never falls
    std::int64_t token = 0;
    std::optional<lock_holder> holder{};
    std::vector<std::string> line{};  ///< sessions of the waiting processes, in order
    std::int64_t passed = 0;          ///< how often the head of the line was overtaken
    item data{};

    bool free() const { return !holder; }
    bool held_by(std::string_view session, std::int64_t attempt) const {
        return holder && holder->attempt == attempt && holder->session == session;
    }
    /// Where in the line the session stands.
    std::optional<std::size_t> place_of(std::string_view session) const;
};

/// The longest lease that a row may name: a day. Anything above is damage, and its nanoseconds might not be countable.
inline constexpr std::chrono::milliseconds longest_lease = std::chrono::hours(24);

/// Fails with `errc::unsupported_version` or `errc::corrupt_row`; the row is then to be left alone.
result<session_row> parse_session_row(const item& row);
/// An absent row is a free lock that nobody ever took.
result<lock_row> parse_lock_row(const item* row);

}  // namespace dynalease::protocol
