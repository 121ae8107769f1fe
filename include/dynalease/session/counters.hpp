// What a session has seen and done, in numbers.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/histogram.hpp>
#include <dynalease/session/state.hpp>

#include <chrono>
#include <cstdint>

#pragma GCC visibility push(default)
namespace dynalease {

/// What a session has seen and done, in all its lives. Counters only grow; the rest is the state now.
struct session_counters {
    /// Of a plain session these three count the requests that renew its locks: one each time for a writer's, two for a
    /// reader's, and each copy of one that had no answer.
    std::uint64_t heartbeats_sent = 0;
    std::uint64_t heartbeats_acknowledged = 0;
    std::uint64_t heartbeats_unanswered = 0;
    std::chrono::nanoseconds worst_heartbeat_delay{};  ///< by how much the latest of all was late; plain: 0
    std::uint64_t jeopardies = 0;                      ///< times the session entered `jeopardy`; plain: 0
    std::uint64_t lives_lost = 0;                      ///< times it was lost

    /// All grants that a caller got, those by take-over and hand-over among them. Also of a part of what was wanted
    /// together, though its call ended without the rest and gave it back: hooks are told of what callers got. What came
    /// when no caller was left is not in it, nor its end in what follows, but for `take_overs` and `own_copies`.
    std::uint64_t acquired = 0;
    std::uint64_t hand_overs = 0;  ///< grants passed on inside the process
    std::uint64_t take_overs = 0;  ///< grants taken from a session that was over
    std::uint64_t own_copies = 0;  ///< grants learnt from the row because the answer was lost
    /// Guards given back, and not handed on; none that was lost. This and `hand_overs` count when it is known what
    /// became of a guard: one whose release, and the hook with it, was told `in_doubt` may count later, or never.
    std::uint64_t released = 0;
    std::uint64_t lost = 0;  ///< guards that became invalid before they were released; not those that `close` left
    std::uint64_t marked_dead = 0;  ///< sessions of others that this one marked dead
    /// Writes without an answer that claim something or give it back, each then resolved one way; where others may have
    /// taken it meanwhile, for the lease was over, in none. Of a write under a lock its own caller is told.
    std::uint64_t unknown_writes = 0;
    std::uint64_t unknown_applied = 0;  ///< ... it had happened
    std::uint64_t unknown_void = 0;     ///< ... it had not, and never will

    std::uint64_t leases_held = 0;              ///< now
    std::uint64_t waiting = 0;                  ///< now: callers waiting for a lock, or for the session to open for one
    std::uint64_t resolving = 0;                ///< now: attempts that are being resolved in the background
    session_state state = session_state::idle;  ///< now: what `session::state` tells

    // Times, of all that has ended.
    histogram waits_granted{};  ///< of callers that got what they asked for, from their call on
    histogram waits_in_vain{};  ///< ... that did not, tries too
    histogram holds{};          ///< from a grant until its guard was invalid
    /// How late each heartbeat left, against its plan, and one that was too late for its lease and did not leave. After
    /// one without an answer the next is due when that one's time is over. Plain: none.
    histogram heartbeat_delays{};
    histogram heartbeat_answers{};  ///< from the send of each heartbeat that was answered; plain: none
};

}  // namespace dynalease
#pragma GCC visibility pop
