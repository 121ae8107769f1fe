// What a session counts, as it counts.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/histogram.hpp>
#include <dynalease/session/counters.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace dynalease::protocol {

/// Changed on the database's executor alone, and read on any thread.
class tallied {
public:
    operator std::uint64_t() const noexcept { return count_.load(std::memory_order_relaxed); }
    tallied& operator+=(std::uint64_t more) noexcept {
        count_.store(*this + more, std::memory_order_relaxed);
        return *this;
    }
    tallied& operator-=(std::uint64_t less) noexcept {
        count_.store(*this - less, std::memory_order_relaxed);
        return *this;
    }
    tallied& operator++() noexcept { return *this += 1; }
    tallied& operator--() noexcept { return *this -= 1; }
    void raise_to(std::uint64_t least) noexcept { *this += std::max<std::uint64_t>(*this, least) - *this; }

private:
    std::atomic<std::uint64_t> count_{0};
};

/// A histogram, so counted and read.
class tallied_times {
public:
    void observe(std::chrono::nanoseconds time) noexcept {
        ++buckets_[histogram::bucket_of(time)];
        if (time.count() > 0) sum_ += static_cast<std::uint64_t>(time.count());
    }
    operator histogram() const noexcept {
        histogram::counts seen{};
        for (std::size_t i = 0; i < seen.size(); ++i) seen[i] = buckets_[i];
        return {seen, std::chrono::nanoseconds(static_cast<std::int64_t>(std::uint64_t(sum_)))};
    }

private:
    std::array<tallied, histogram::counts{}.size()> buckets_{};
    tallied sum_;  ///< in nanoseconds
};

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
