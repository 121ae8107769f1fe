// The requests of a lock, exactly. Each may be sent again byte for byte; a late copy of any is refused.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "lock/protocol/lock_row.hpp"
#include "session/protocol/claim.hpp"

#include <dynalease/dynamodb/operations.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dynalease::protocol {

/// How often the head of the line may be overtaken before only it may take the lock.
inline constexpr std::int64_t overtaking_bound = 32;

/// Under which circumstances a claim takes the lock. Each is a condition, so that a wrong belief is only refused.
struct take_form {
    /// Our place in the line; empty: we believe that nobody waits (or, with `drop_head`, that we do not).
    std::optional<std::size_t> place{};
    /// The head did not come though the lock stood free: drop it, if it is this one and nothing moved since.
    struct absent_head {
        std::string session;
        std::int64_t floor;
        friend bool operator==(const absent_head&, const absent_head&) = default;
    };
    std::optional<absent_head> drop_head{};
    /// Take from this holder, whose session is over; empty: the lock is free.
    std::optional<lock_holder> over{};

    friend bool operator==(const take_form&, const take_form&) = default;
};

/// What people see of a grant, and nothing is decided by.
struct grant_face {
    item data{};  ///< stored in the row; empty: what is there stays
    wall_time since{};
};

/// Builds requests for one lock on behalf of one session. Holds references: a short-lived helper.
class lock_requests {
public:
    lock_requests(const std::string& table, std::string_view name, const std::string& self)
        : table_(table), name_(name), self_(self) {}

    get_item_request look() const;
    /// @param seen_floor as the row was last seen; 0: never, or absent. A row that went back behind it was removed or
    /// lost with its table, and a token chosen before that may lie below one granted since: refused.
    update_item_request take(const claim& mine, const take_form& form, grant_face face,
                             std::int64_t seen_floor = 0) const;
    /// To the end of the line. A copy of the claim like any other: a late one is refused once the claim is closed.
    update_item_request join(const claim& mine) const;
    /// From our own grant to the next of ours, inside the process.
    update_item_request hand_over(const claim& from, const claim& to, grant_face face) const;
    /// @param unresolved a hand-over whose answer never came: names it too, since it may have happened.
    /// @param rejoin stand at the end of the line in the same write, for those of us who still wait.
    update_item_request release(const claim& held, const std::optional<claim>& unresolved, bool rejoin,
                                std::int64_t expiry) const;
    /// Closes a claim for good by raising the floor to its token. The two forms keep the ttl right.
    update_item_request void_free(const claim& mine, std::int64_t expiry) const;
    update_item_request void_held(const claim& mine) const;
    /// Leaves the line and closes the claim.
    update_item_request leave(const claim& mine, std::size_t place) const;
    /// Leaves the line when the claim is closed already.
    update_item_request leave_closed(std::size_t place) const;
    /// The fence: true only while this very grant is in force.
    condition_check fence(const claim& held) const;

private:
    update_item_request draft() const;

    const std::string& table_;
    std::string_view name_;
    const std::string& self_;
};

/// When TTL may remove a released row. Counts from the floor too, so that whoever makes the row anew later has a
/// wall clock above every token that was ever granted.
std::int64_t lock_row_expiry(wall_time now, std::int64_t floor, std::chrono::hours retention);

}  // namespace dynalease::protocol
