// Who is here: the callers of one process in one queue, by how far they have come.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "queue/drawn_tickets.hpp"
#include "queue/queue_entrant.hpp"
#include "queue/queue_hold.hpp"
#include "session/session_member.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace dynalease::detail {

struct queue_callers {
    drawn_tickets drawn{};                                             ///< of all of them
    std::map<std::int64_t, std::shared_ptr<queue_entrant>> waiting{};  ///< by ticket, as written down
    std::weak_ptr<queue_hold> turn{};
    std::vector<std::weak_ptr<queue_hold>> leaving{};  ///< turns that are being given back

    bool any_leaving() const noexcept { return !leaving.empty(); }
    bool any() const noexcept { return !turn.expired() || any_leaving() || !waiting.empty() || drawn.any_entering(); }
    /// Of those who wait.
    const protocol::place& lowest() const { return waiting.begin()->second->ticket->mine; }
    /// Somebody's turn is not over.
    bool has_turn(std::int64_t passed) const {
        const auto hold = turn.lock();
        return hold && hold->mine().ticket > passed;
    }
    /// The turn, or the end of it, tells when that of the lowest begins.
    bool blocked_by_themselves() const {
        const auto next = lowest().from;
        const auto is_before = [next](const auto& each) {
            const auto hold = each.lock();
            return hold && hold->mine().ticket + 1 == next;
        };
        return std::ranges::any_of(leaving, is_before) || is_before(turn);
    }
    void list_grants(std::vector<std::shared_ptr<pending_release>>& into) const {
        if (auto hold = turn.lock()) into.push_back(std::move(hold));
        for (const auto& each : leaving) {
            if (auto hold = each.lock()) into.push_back(std::move(hold));
        }
    }
};

}  // namespace dynalease::detail
