// What happened to the locks of a world's items, as the store and the users' own hands know it. What happened to their
// data stands in the history of versioned items.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/runtime/time.hpp>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace dynalease::simulation::item_locks {

/// Who stands in an item: session and attempt, which are never used again.
struct claimant {
    std::string session{};
    std::int64_t attempt = 0;
    auto operator<=>(const claimant&) const = default;
};

/// The lock of an item after a write.
struct lock_state {
    bool exists = false;
    std::string life{};
    claimant writer{};  ///< without session: none
    std::set<claimant> readers{};
    claimant intent{};
    std::int64_t floor = 0;
    friend bool operator==(const lock_state&, const lock_state&) = default;
};

/// A request of that session changed the item.
struct lock_written {
    std::size_t item = 0;
    std::string session{};
    std::int64_t number = 0;  ///< of the guarded write or the save that it carries; 0: it is about the lock alone
    lock_state after{};
};

/// Somebody who knows of no locks removed the item, or made it.
struct lock_replaced {
    std::size_t item = 0;
    lock_state after{};
};

struct session_over {
    std::string session{};
};

/// A session's row came to be, or its beat moved.
struct session_lives {
    std::string session{};
};

/// A user got a guard. Readers of one process may share a grant.
struct guard_given {
    std::uint64_t handle = 0;
    std::size_t item = 0;
    std::string session{};
    std::int64_t token = 0;
    bool exclusive = true;
};

/// A user gave it back, dropped it, made it a reader's, or was told that it is lost.
struct guard_let_go {
    std::uint64_t handle = 0;
};

/// A user writes under this guard.
struct guarded_begun {
    std::uint64_t handle = 0;
    std::size_t item = 0;
    std::int64_t number = 0;
};

/// A request of that write found the item locked as it demands, and changed nothing in it.
struct lock_tested {
    std::size_t item = 0;
    std::int64_t number = 0;
};

/// The writer of an item, whose session has no row, has given a sign of life there.
struct kept_alive {
    std::size_t item = 0;
};

struct event {
    time_point at{};  ///< true time
    std::variant<lock_written, lock_replaced, session_over, guard_given, guard_let_go, guarded_begun, lock_tested,
                 kept_alive, session_lives>
        what;
};

using history = std::vector<event>;

}  // namespace dynalease::simulation::item_locks
