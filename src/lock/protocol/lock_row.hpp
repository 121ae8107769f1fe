// The row of a lock: its holder, its line, and its floor.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "session/protocol/row.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynalease::protocol {

/// Processes that may stand in a lock's line.
inline constexpr std::size_t line_capacity = 24;

namespace attribute {
inline constexpr const char* floor = "floor";
inline constexpr const char* token = "token";
inline constexpr const char* holder = "holder";
inline constexpr const char* line = "line";
}  // namespace attribute

inline constexpr std::string_view lock_prefix = "lock#";

item_key lock_key(std::string_view name);

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
    wall_time since{};  ///< when the last grant was asked for, by the clock of who did; for people. The epoch: unknown

    bool free() const { return !holder; }
    bool held_by(std::string_view session, std::int64_t attempt) const {
        return holder && holder->attempt == attempt && holder->session == session;
    }
    /// Where in the line the session stands.
    std::optional<std::size_t> place_of(std::string_view session) const;
};

/// An absent row is a free lock that nobody ever took. Fails as `parse_session_row`.
result<lock_row> parse_lock_row(const item* row);

}  // namespace dynalease::protocol
