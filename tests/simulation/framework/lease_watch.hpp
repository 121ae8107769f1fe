// What a session may believe, worked out from its requests and answers as its network saw them.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/runtime/time.hpp>
#include <dynalease/session.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace dynalease::simulation {

/// All times are the node's own. The bound on believing is the true one: what a watcher's clock may make of a lease if
/// it runs as fast, and the holder's as slow, as the promise allows. The library gives a few milliseconds more away.
class lease_watch {
public:
    lease_watch(std::chrono::nanoseconds lease, std::chrono::nanoseconds period, std::int64_t drift_ppm)
        : lease_(lease),
          period_(period),
          hold_(lease / (1'000'000 + drift_ppm) * (1'000'000 - drift_ppm) + std::chrono::microseconds(10)),
          cautious_hold_(lease - std::chrono::ceil<std::chrono::milliseconds>(lease - hold_) -
                         std::chrono::milliseconds(5)) {}

    void sent(std::int64_t beat, time_point now) {
        sends_[beat] = now;
        if (sends_.size() > 64) sends_.erase(sends_.begin());
        sent_at_ = now;
    }
    /// An answer proves that this beat landed. It counts only if it is handled in time.
    void acknowledged(std::int64_t beat, time_point now) {
        const auto found = sends_.find(beat);
        if (found == sends_.end() || over_) return;
        landed_ = std::max(landed_, beat);
        if (proven_ && now >= deadline()) return;
        // The library, more careful, may have taken the lease for over before the answer came.
        perhaps_over_ = proven_ && now >= deadline() - caution;
        if (now >= found->second + (proven_ ? hold_ : cautious_hold_)) return;
        if (!proven_) sent_at_ = now;  // the first heartbeat is due when the session has begun
        proven_ = std::max(proven_.value_or(found->second), found->second);
    }
    void told_over() { over_ = true; }
    /// By the number that an answer shows of the row before it: less than one that has landed, the table went back.
    bool shows_another_past(std::int64_t former) const { return former < landed_; }

    bool begun() const { return proven_.has_value(); }
    bool is_told_over() const { return over_; }
    time_point deadline() const { return *proven_ + hold_; }
    time_point jeopardy() const { return *proven_ + period_ + lease_ / 5; }
    /// Since when the next heartbeat is being waited for.
    std::optional<time_point> last_send() const { return sent_at_; }
    std::chrono::nanoseconds lease() const { return lease_; }
    std::chrono::nanoseconds period() const { return period_; }

    /// Whether a guard may say that it is valid.
    bool may_believe(time_point now) const { return proven_ && !over_ && now < deadline(); }

    /// What is wrong with the state that the session shows; empty if nothing.
    std::string check(session_state shown, time_point now) const {
        if (!proven_ || shown == session_state::closed) return {};
        const bool believes = shown == session_state::live || shown == session_state::jeopardy;
        if (believes && !may_believe(now)) return "the session believes beyond its deadline";
        if (over_ || now >= deadline() - caution) return {};
        if (perhaps_over_ && shown == session_state::lost) return {};
        if (shown == session_state::lost) return "the session is lost before its deadline, and nobody said so";
        if (shown == session_state::live && now >= jeopardy()) return "no jeopardy though heartbeats go unanswered";
        if (shown == session_state::jeopardy && now < jeopardy()) return "jeopardy though heartbeats are answered";
        return {};
    }

private:
    /// By how much the library may be more careful than it must.
    static constexpr std::chrono::milliseconds caution{7};

    std::chrono::nanoseconds lease_;
    std::chrono::nanoseconds period_;
    std::chrono::nanoseconds hold_;
    std::chrono::nanoseconds cautious_hold_;    ///< what the library makes of it: decides with what a session begins
    std::map<std::int64_t, time_point> sends_;  ///< by beat; the creation is beat 1
    std::optional<time_point> sent_at_;
    std::optional<time_point> proven_;
    std::int64_t landed_ = 0;    ///< the greatest beat that is proven
    bool perhaps_over_ = false;  ///< the last acknowledgement came at the very end of the lease
    bool over_ = false;
};

}  // namespace dynalease::simulation
