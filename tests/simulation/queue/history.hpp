// What happened to the queues of a world, as the store and the users' own hands know it: nothing of it is the
// library's word.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/session_checker.hpp"

#include <dynalease/runtime/time.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace dynalease::simulation::queues {

/// A queue's head row after a write.
struct head_state {
    bool exists = false;
    std::int64_t version = 1;
    std::int64_t tail = 0;
    std::int64_t passed = 0;
    bool expires = false;  ///< carries a ttl
};

/// A write of the library changed a head.
struct head_written {
    enum class kind {
        drawn,           ///< a ticket was issued
        drawn_together,  ///< one number in several queues
        passed_over,
        left,
        left_idle,
        rested,
    } what = kind::drawn;
    std::size_t queue = 0;
    std::string writer{};   ///< session
    std::string attempt{};  ///< of a ticket that was issued
    std::int64_t from = 0;  ///< the first number that it covers, if its row came with it
    head_state after{};
};

/// An operator, a restored backup or TTL changed it: the next write is checked against this.
struct head_replaced {
    std::size_t queue = 0;
    head_state after{};
};

/// A ticket's row was written.
struct ticket_written {
    std::size_t queue = 0;
    std::int64_t ticket = 0;
    std::int64_t from = 0;  ///< the first number that it covers
    std::string writer{};   ///< session
    bool is_void = false;
    bool expires = false;
};

struct ticket_deleted {
    std::size_t queue = 0;
    std::int64_t ticket = 0;
};

/// A user got a turn.
struct turn_given {
    std::uint64_t handle = 0;
    std::size_t queue = 0;
    std::string session{};
    std::int64_t ticket = 0;
};

/// A user left, dropped the turn, or was told that it is lost.
struct turn_let_go {
    std::uint64_t handle = 0;
};

/// A write to something outside that the queue protects, which compares tokens, was accepted there.
struct outside_written {
    std::size_t queue = 0;
    std::int64_t ticket = 0;
};

/// A transaction that carries the fence was carried out.
struct fence_passed {
    std::size_t queue = 0;
    std::int64_t ticket = 0;
};

struct event {
    time_point at{};  ///< true time
    std::variant<head_written, head_replaced, ticket_written, ticket_deleted, session_beaten, session_ended,
                 sessions_disturbed, turn_given, turn_let_go, outside_written, fence_passed, session_revoked>
        what;
};

using history = std::vector<event>;

}  // namespace dynalease::simulation::queues
