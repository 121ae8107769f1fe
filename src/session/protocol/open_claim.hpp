// The claims of one process on one lock: where their tokens come from, and what is known of their copies.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "session/protocol/claim.hpp"
#include "session/protocol/session_tally.hpp"
#include "session/protocol/session_view.hpp"

#include <dynalease/runtime/time.hpp>

#include <algorithm>
#include <cstdint>

namespace dynalease::protocol {

/// At most one is open at a time, so that no copy of anything this process ever sent for the lock can surprise it.
struct open_claim {
    claim id;
    bool sent = false;        ///< a copy left this process
    bool under_way = false;   ///< ... and its answer is waited for
    bool unanswered = false;  ///< one of them had no answer
    time_point sent_at{};     ///< the last

    void note_unanswered(session_tally& counters) noexcept {
        if (!unanswered) ++counters.unknown_writes;
        unanswered = true;
    }
    /// No copy of it can land any more. @param applied one has
    void note_end(session_tally& counters, bool applied) const noexcept {
        if (unanswered) ++(applied ? counters.unknown_applied : counters.unknown_void);
    }
};

struct claim_tokens {
    std::int64_t last = 0;   ///< that was chosen here
    std::int64_t floor = 0;  ///< the highest that was ever seen

    void see(std::int64_t floor_seen) noexcept { floor = std::max(floor, floor_seen); }
    /// What the next claim would get. @param lead how far above the floor that is to be, at least
    std::int64_t next(const session_view& session, std::int64_t lead = 0) const {
        return choose_token(session.wall(), last, floor + lead);
    }
    claim choose(session_view& session, std::int64_t lead = 0) {
        last = next(session, lead);
        return {.attempt = session.next_attempt(), .token = last};
    }
};

}  // namespace dynalease::protocol
