// The states of a session.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/named.hpp>

#include <functional>
#include <string_view>

#pragma GCC visibility push(default)
namespace dynalease {

enum class session_state {
    idle,      ///< no lease was asked for yet, or none since the last loss; no row, no heartbeat
    opening,   ///< the row is being written
    live,      ///< heartbeats are acknowledged
    jeopardy,  ///< the last heartbeats were not acknowledged; still valid until the deadline
    lost,      ///< final: the lease ran out, or another marked this session dead, and it does not begin anew
    closed,    ///< final: closed by its owner
};
constexpr std::string_view to_string(session_state value) noexcept {
    using enum session_state;
    switch (value) {
        case idle:
            return "idle";
        case opening:
            return "opening";
        case live:
            return "live";
        case jeopardy:
            return "jeopardy";
        case lost:
            return "lost";
        case closed:
            return "closed";
    }
    return "unknown";
}

/// As a log hook, it is called on the database's executor, and must not block.
using state_hook = std::function<void(session_state)>;

}  // namespace dynalease
#pragma GCC visibility pop
