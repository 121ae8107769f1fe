// The life of a session as its own process sees it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "session/protocol/lease_times.hpp"

#include <dynalease/runtime/time.hpp>

#include <cstdint>
#include <vector>

namespace dynalease::protocol {

/// idle -> opening -> live <-> jeopardy -> lost | closed. The last two are final.
class session_lease {
public:
    enum class phase { idle, opening, live, jeopardy, lost, closed };

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

/// The heartbeats under way. Each send has a number of its own, so that a row can prove which one landed.
class beat_ledger {
public:
    struct beat {
        std::int64_t number;
        time_point sent;
    };

    /// @param first the number that the row was created with.
    explicit beat_ledger(std::int64_t first = 1) : last_(first) {}

    beat next(time_point now);
    /// When the beat with that number left; null if it is none of ours, or too old to matter.
    const beat* find(std::int64_t number) const;

private:
    static constexpr std::size_t remembered = 16;
    std::int64_t last_;
    std::vector<beat> sent_;
};

}  // namespace dynalease::protocol
