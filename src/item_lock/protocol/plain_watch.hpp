// Holders without a session's row: each is alive for as long as its own text in the item changes.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item_lock/protocol/item_lock_decisions.hpp"
#include "session/protocol/plain_identity.hpp"

#include <dynalease/runtime/time.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace dynalease::protocol {

/// Since when each of an item's plain claimants has shown the same text. Every write of a holder changes its text and
/// no text returns, so that two sights of one tell of all the time between them, without a look.
class plain_watch {
public:
    /// @param now after the answer was received: the text may have been written at any moment before.
    void sight(const item_lock_state& lock, time_point now);
    /// Over once its text has stood still for its whole lease.
    holder_is judge(const item_claimant& who, time_point now) const;
    /// When to look at it next: eight times in its lease, as at a session, and when that is over. Empty: it has none.
    std::optional<time_point> next_look(const item_claimant& who, time_point now) const;
    /// When the first of those in sight will be over.
    std::optional<time_point> next_end() const;

private:
    struct claimant {
        time_point since;
        std::optional<std::chrono::milliseconds> lease;
    };
    std::map<std::string, claimant, std::less<>> seen_;  ///< by text
};

}  // namespace dynalease::protocol
