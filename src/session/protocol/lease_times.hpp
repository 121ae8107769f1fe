// Lease arithmetic: how long an acknowledged heartbeat lets its sender believe.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/runtime/time.hpp>

#include <chrono>
#include <cstdint>

namespace dynalease::protocol {

/// All times of one session, counted on its own clock from the *send* of the last acknowledged heartbeat.
struct lease_times {
    std::chrono::nanoseconds lease;       ///< what the row promises to those who watch
    std::chrono::nanoseconds period;      ///< from heartbeat to heartbeat
    std::chrono::nanoseconds beat_limit;  ///< for one heartbeat's answer
    std::chrono::nanoseconds jeopardy;    ///< from then on the state says so
    std::chrono::nanoseconds hold;        ///< the holder's own lease: shorter than `lease` by the drift margin
};

/// Of a session without a row, whose grants live by their own writes.
struct plain_keeping {
    lease_times times;  ///< of each grant
    bool renew;
};

/// A holder's clock may run slow and a watcher's fast, each by `drift_ppm`; 5 ms more cover rounding.
lease_times lease_times_for(std::chrono::milliseconds lease, std::chrono::milliseconds heartbeat,
                            std::uint32_t drift_ppm);

/// When all copies of a request that was sent then have landed or never will: five minutes of signature life, five of
/// clock skew, one to spare. Decides only when to look for what they left, never who holds.
time_point audit_due(time_point last_sent);

/// Rows of sessions that are over stay this long; longer than any late copy, since absent means over too.
inline constexpr std::chrono::hours session_row_retention{24};

}  // namespace dynalease::protocol
