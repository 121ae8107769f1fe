// The clock of a watched session: what starts it, and what it says.
// SPDX-License-Identifier: BSL-1.0
#include "session/protocol/session_watch.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::protocol {

std::chrono::nanoseconds watch_interval(std::chrono::nanoseconds lease, std::size_t waiting) {
    const std::chrono::nanoseconds share = std::chrono::seconds(std::max<std::size_t>(waiting, 1));
    // One who looks alone has two sights within a lease: else no beat would show that the session lives.
    const auto longest = waiting > 1 ? lease : lease / 2;
    return std::max(lease / 8, std::min(share, longest));
}

void session_watch::sight(const std::optional<session_row>& row, time_point now) {
    if (over_) return;
    if (!row || !row->alive) {
        over_ = true;
        return;
    }
    const auto before = std::exchange(looked_, now);
    lease_ = row->lease;
    owner_ = row->owner;
    if (beat_ != row->beat) {
        // A revocation is no sign of its life, though its lease is counted from there.
        const bool its_own = row->beat != last_beat;
        if (beat_ && its_own && now - before < lease_) seen_alive_ = now;
        beat_ = row->beat;
        since_ = now;
    }
}

std::optional<std::int64_t> session_watch::due_for_mark(time_point now) const {
    if (over_ || !beat_ || now - since_ < lease_) return {};
    return beat_;
}

time_point session_watch::next_look(time_point since, std::size_t waiting) const {
    if (!looked_at()) return since + watch_after;
    const auto next = looked_ + watch_interval(lease_, waiting);
    // Exactly when the lease is up it can be told whether the session is over.
    return lease_end() > looked_ ? std::min(next, lease_end()) : next;
}

}  // namespace dynalease::protocol
