// What happened to the locks of a world, as the store and the users' own hands know it: nothing of it is the library's
// word.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/session_checker.hpp"

#include <dynalease/runtime/time.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace dynalease::simulation::locks {

/// A lock's row after a write.
struct row_state {
    bool exists = false;
    std::int64_t version = 1;
    std::string holder{};  ///< session; empty: free
    std::int64_t attempt = 0;
    std::int64_t token = 0;
    std::int64_t floor = 0;
    bool expires = false;  ///< carries a ttl
    std::vector<std::string> line{};
};

/// What a process knew that claims a lock.
struct sent_claim {
    time_point first_sent;
    std::int64_t floor_seen;  ///< the highest that it was shown
};

/// A write of the library changed a lock's row.
struct lock_written {
    std::size_t lock = 0;
    std::string writer{};  ///< session
    row_state after{};
    std::optional<sent_claim> claim{};  ///< that the write carries
    bool late = false;                  ///< its call had been answered before
};

/// An operator, a restored backup or TTL changed it: the next write is checked against this.
struct lock_replaced {
    std::size_t lock = 0;
    row_state after{};
};

/// A user got a guard.
struct guard_given {
    std::uint64_t handle = 0;
    std::size_t lock = 0;
    std::string session{};
    std::int64_t token = 0;
};

/// A user gave it back, dropped it, or was told that it is lost.
struct guard_let_go {
    std::uint64_t handle = 0;
};

/// A write to something outside that the lock protects, which compares tokens, was accepted there.
struct outside_written {
    std::size_t lock = 0;
    std::int64_t token = 0;
};

/// A transaction that carries the fence was carried out.
struct fence_passed {
    std::size_t lock = 0;
    std::string session{};
    std::int64_t attempt = 0;
};

/// Somebody who asked for no lock was shown one.
struct lock_shown {
    std::size_t lock = 0;
    time_point asked{};  ///< true time
    std::string holder{};
    std::int64_t token = 0;
    std::size_t waiting = 0;
    std::optional<bool> held{};  ///< whether its session is not over; empty: not looked at
};

struct event {
    time_point at{};  ///< true time
    std::variant<lock_written, lock_replaced, session_beaten, session_ended, sessions_disturbed, guard_given,
                 guard_let_go, outside_written, fence_passed, lock_shown, session_revoked>
        what;
};

using history = std::vector<event>;

}  // namespace dynalease::simulation::locks
