// The states of a session.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <functional>

namespace dynalease {

enum class session_state {
    idle,      ///< no lease was asked for yet, or none since the last loss; no row, no heartbeat
    opening,   ///< the row is being written
    live,      ///< heartbeats are acknowledged
    jeopardy,  ///< the last heartbeats were not acknowledged; still valid until the deadline
    lost,      ///< final: the lease ran out, or another marked this session dead, and it does not begin anew
    closed,    ///< final: closed by its owner
};

/// As a log hook, it is called on the database's executor, and must not block.
using state_hook = std::function<void(session_state)>;

}  // namespace dynalease
