// The life of a session as its own process sees it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "session/protocol/lease_times.hpp"

#include <dynalease/runtime/time.hpp>
#include <dynalease/session/state.hpp>

namespace dynalease::protocol {

/// idle -> opening -> live <-> jeopardy -> lost | closed. The last two are final.
class session_lease {
public:
    using phase = session_state;

    explicit session_lease(const lease_times& times) : times_(times) {}

    /// The phase at `now`: the deadline counts by itself, no timer has to fire first.
    phase at(time_point now) const;
    bool live_at(time_point now) const;

    time_point deadline() const { return last_acknowledged_send_ + times_.hold; }
    time_point jeopardy() const { return last_acknowledged_send_ + times_.jeopardy; }

    void open();
    /// The attempt to open failed for good; the next one starts afresh.
    void abandon();
    void close();
    void lose();

    /// An answer proved that a write sent at `sent` was applied. Counts from the send, since a watcher may have
    /// read the row at once; and only if it is handled in time: an ok at or after the deadline changes nothing.
    /// @returns whether the session is live now.
    bool acknowledge(time_point sent, time_point now);

    const lease_times& times() const { return times_; }

private:
    lease_times times_;
    phase phase_ = phase::idle;
    time_point last_acknowledged_send_{};
};

}  // namespace dynalease::protocol
