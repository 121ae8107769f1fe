// The times of a queue: how long a ticket is safe that was not written down, and when those who wait look again.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "queue/protocol/queue_rows.hpp"

#include <dynalease/runtime/time.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace dynalease::protocol {

/// A turn that came with its ticket has no row, so nothing but this time protects it: counted by its owner from the
/// *first* send of the request that took the ticket. All processes must agree on it, so it is no option.
inline constexpr std::chrono::milliseconds claim_time{3000};
/// A turn that lasts longer than this is written down, in the background.
inline constexpr std::chrono::milliseconds write_down_after{1000};

/// How long the owner relies on it: shorter than `claim_time` by what its clock may run slow.
std::chrono::nanoseconds claim_held(std::uint32_t drift_ppm);
/// How long others wait, from when they *received* the first sight of the missing row, before they bury the ticket:
/// longer than `claim_time` by what their clocks may run fast.
std::chrono::nanoseconds bury_after(std::uint32_t drift_ppm);

/// A missing row is looked for so often.
inline constexpr std::chrono::seconds look_for_row{1};
/// So often the row that blocks us is looked at again: its owner may have given it up without knowing that it has the
/// turn already.
inline constexpr std::chrono::seconds look_at_blocking_row{4};

/// How long a try that was refused waits to be told by whom: as long as the refusal took, but 50 ms in any case, and a
/// second at most.
std::chrono::nanoseconds time_to_name(std::chrono::nanoseconds refused_after);

struct poll_facts {
    std::int64_t ahead;              ///< tickets before ours, the present turn counted; at least 1
    std::int64_t processes_ahead;    ///< whose they are
    std::int64_t processes;          ///< all that hold or wait
    std::chrono::nanoseconds pace;   ///< how long turns take, as the head says; 0: not known
    std::chrono::nanoseconds still;  ///< since the last turn was seen to end
};

/// Who is next looks every `shortest`; those behind so rarely that all together stay below 12 looks a second,
/// however many they are, but in time to be awake when they are next. A process looks once for all of its tickets, so
/// that processes are counted; only a pace is one of tickets.
/// @param unit a uniform random number in [0, 1): spreads the looks by a fifth either way.
std::chrono::nanoseconds next_poll(const poll_facts& facts, std::chrono::nanoseconds shortest,
                                   std::chrono::nanoseconds longest, double unit);

/// Whose lowest ticket stands further behind than before, or is its first, looks at the rows ahead within this time:
/// how many processes wait there.
inline constexpr std::chrono::seconds survey_within{1};

struct survey_facts {
    unsigned surveys;  ///< of the rows ahead of this ticket, the present one counted
    bool any_over;     ///< the present one found somebody whose session is over
    /// When those sessions will have stood still for a lease that it looked at, and that live as far as is known.
    std::vector<time_point> lease_ends;
    time_point now;
};

/// When those whose sessions are timed may be found out, or empty: no sooner than the pace of looks says. Who waits far
/// behind has to look rarely, for as long as those before it may look too. If they are dead, nobody else will find that
/// out: so it looks a second time when the first lease is up, once, and again for as long as that finds dead ones.
/// Those who were first looked at together are judged together: each that is dead leads to others.
std::optional<time_point> next_survey(const survey_facts& facts);
/// Behind the next in line every so many looks that find nothing moved are followed by a look at the rows ahead.
inline constexpr unsigned still_polls_per_examination = 1;

/// The pace that the one who leaves writes into the head, with the time that a hand-off takes.
std::chrono::milliseconds smoothed_pace(std::chrono::milliseconds before, std::chrono::nanoseconds turn);

/// When TTL may remove the head row of a queue that nobody uses. Counts from the counter too: whoever makes the row
/// anew has a wall clock above every ticket that was ever issued.
std::int64_t idle_head_expiry(wall_time now, std::int64_t tail);

}  // namespace dynalease::protocol
