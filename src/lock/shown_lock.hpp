// What people are shown of a lock.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "lock/protocol/lock_row.hpp"

#include <dynalease/lock/lock.hpp>

#include <utility>

namespace dynalease::detail {

/// By its row alone: whether the holder lives is not known.
inline lock_info shown_lock(protocol::lock_row row) {
    return {.holder = row.holder ? std::move(row.holder->session) : std::string(),
            .fencing_token = row.token,
            .waiting = row.line.size(),
            .since = row.since,
            .data = std::move(row.data)};
}

inline void show_holder(lock_info& info, const protocol::session_row& holder) {
    info.held = holder.alive;
    info.owner = holder.owner;
    info.last_heartbeat = holder.beat_time;
}

}  // namespace dynalease::detail
