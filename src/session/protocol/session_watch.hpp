// What a process knows of another process's session: the sights of its heartbeat, on the watcher's own clock.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "session/protocol/row.hpp"

#include <dynalease/runtime/time.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace dynalease::protocol {

/// A holder is watched once it was seen for this long: shorter holds end before a look at its session would pay.
inline constexpr std::chrono::milliseconds watch_after{500};

/// From look to look at the holder's session.
std::chrono::nanoseconds watch_interval(std::chrono::nanoseconds lease, std::size_t waiting);

class session_watch {
public:
    bool over() const { return over_; }
    bool looked_at() const { return beat_.has_value(); }
    time_point last_look() const { return looked_; }
    /// The first sight of the present beat.
    time_point beat_seen() const { return since_; }

    /// A sight: the answer of a look, or of a refused mark.
    /// @param row empty: the row is gone, which means over, for ever.
    /// @param now after the answer was received: the beat may have been renewed at any moment before.
    void sight(const std::optional<session_row>& row, time_point now);
    void mark_over() { over_ = true; }

    /// When it was last seen to have beaten, by a beat other than one that was seen less than a lease before.
    std::optional<time_point> seen_alive() const { return seen_alive_; }
    /// The beat stood still for a whole lease: mark the session dead, naming this beat.
    std::optional<std::int64_t> due_for_mark(time_point now) const;
    /// When the present beat will have stood still for a whole lease.
    time_point lease_end() const { return since_ + lease_; }
    std::chrono::nanoseconds lease() const { return lease_; }
    /// For people; empty until it was looked at.
    const std::string& owner() const { return owner_; }
    /// When it pays to look again. @param since it is in the way @param waiting that all look
    time_point next_look(time_point since, std::size_t waiting) const;

private:
    bool over_ = false;
    std::optional<std::int64_t> beat_;
    time_point since_{};   ///< first sight of the present beat
    time_point looked_{};  ///< last sight of any
    std::optional<time_point> seen_alive_;
    std::chrono::nanoseconds lease_{};
    std::string owner_;
};

}  // namespace dynalease::protocol
