// The life of a session as its own process sees it.
#pragma once

#include "protocol/lease_times.hpp"

#include <dynalease/runtime/time.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace dynalease::protocol {

/// idle -> opening -> live <-> jeopardy -> lost | closed. The last two are final.
class session_lease {
public:
    enum class phase { idle, opening, live, jeopardy, lost, closed };

    explicit session_lease(const lease_times& times) : times_(times) {}

    /// The phase at `now`: the deadline counts by itself, no timer has to fire first.
    phase at(time_point now) const {
        if (phase_ != phase::live) return phase_;
        if (now >= deadline()) return phase::lost;
        return now >= jeopardy() ? phase::jeopardy : phase::live;
    }
    bool live_at(time_point now) const { return phase_ == phase::live && now < deadline(); }

    time_point deadline() const { return last_acknowledged_send_ + times_.hold; }
    time_point jeopardy() const { return last_acknowledged_send_ + times_.jeopardy; }

    void open() { phase_ = phase::opening; }
    /// The attempt to open failed for good; the next one starts afresh.
    void abandon() {
        if (phase_ == phase::opening) phase_ = phase::idle;
    }
    void close() {
        if (phase_ != phase::lost) phase_ = phase::closed;
    }
    void lose() {
        if (phase_ != phase::closed) phase_ = phase::lost;
    }

    /// An answer proved that a write sent at `sent` was applied. Counts from the send, since a watcher may have
    /// read the row at once; and only if it is handled in time: an ok at or after the deadline changes nothing.
    /// @returns whether the session is live now.
    bool acknowledge(time_point sent, time_point now) {
        if (phase_ == phase::opening) {
            if (now >= sent + times_.hold) return false;
            phase_ = phase::live;
            last_acknowledged_send_ = sent;
            return true;
        }
        if (!live_at(now)) {
            if (phase_ == phase::live) phase_ = phase::lost;
            return false;
        }
        last_acknowledged_send_ = std::max(last_acknowledged_send_, sent);
        return true;
    }

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

    beat next(time_point now) {
        if (sent_.size() == remembered) sent_.erase(sent_.begin());
        return sent_.emplace_back(beat{++last_, now});
    }
    /// When the beat with that number left; null if it is none of ours, or too old to matter.
    const beat* find(std::int64_t number) const {
        const auto at = std::find_if(sent_.begin(), sent_.end(), [&](const beat& b) { return b.number == number; });
        return at == sent_.end() ? nullptr : &*at;
    }

private:
    static constexpr std::size_t remembered = 16;
    std::int64_t last_;
    std::vector<beat> sent_;
};

}  // namespace dynalease::protocol
