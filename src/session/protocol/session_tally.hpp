// What a session counts, as it counts.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "counters/tallied.hpp"

#include <dynalease/session/counters.hpp>

#include <chrono>
#include <cstdint>

namespace dynalease::protocol {

using detail::tallied;
using detail::tallied_times;

/// By the names of `session_counters`.
struct session_tally {
    tallied heartbeats_sent;
    tallied heartbeats_acknowledged;
    tallied heartbeats_unanswered;
    tallied worst_heartbeat_delay;  ///< in nanoseconds
    tallied jeopardies;
    tallied lives_lost;
    tallied acquired;
    tallied hand_overs;
    tallied take_overs;
    tallied own_copies;
    tallied released;
    tallied lost;
    tallied marked_dead;
    tallied unknown_writes;
    tallied unknown_applied;
    tallied unknown_void;
    tallied leases_held;
    tallied waiting;
    tallied resolving;
    tallied_times waits_granted;
    tallied_times waits_in_vain;
    tallied_times holds;
    tallied_times heartbeat_delays;
    tallied_times heartbeat_answers;

    /// All but the state. Any thread: each figure is that of a moment of its own.
    session_counters now() const noexcept {
        const auto delay = static_cast<std::int64_t>(std::uint64_t(worst_heartbeat_delay));
        return {.heartbeats_sent = heartbeats_sent,
                .heartbeats_acknowledged = heartbeats_acknowledged,
                .heartbeats_unanswered = heartbeats_unanswered,
                .worst_heartbeat_delay = std::chrono::nanoseconds(delay),
                .jeopardies = jeopardies,
                .lives_lost = lives_lost,
                .acquired = acquired,
                .hand_overs = hand_overs,
                .take_overs = take_overs,
                .own_copies = own_copies,
                .released = released,
                .lost = lost,
                .marked_dead = marked_dead,
                .unknown_writes = unknown_writes,
                .unknown_applied = unknown_applied,
                .unknown_void = unknown_void,
                .leases_held = leases_held,
                .waiting = waiting,
                .resolving = resolving,
                .waits_granted = waits_granted,
                .waits_in_vain = waits_in_vain,
                .holds = holds,
                .heartbeat_delays = heartbeat_delays,
                .heartbeat_answers = heartbeat_answers};
    }
};

}  // namespace dynalease::protocol
