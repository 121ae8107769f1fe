// One entry into several queues under one number.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "queue/queue_entrant.hpp"
#include "session/session_impl.hpp"

#include <dynalease/queue/queue.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dynalease::detail {

/// An entrant in each of them, of which all have the same number or none has any.
struct joint_ticket {
    std::shared_ptr<session_impl> core;
    std::vector<queue_target> targets;
    std::vector<std::shared_ptr<queue_entrant>> entrants;
    bool once = false;         ///< only wanted if all of them are free
    unsigned places_lost = 0;  ///< how often those before it had to begin again
    std::string attempt{};
    std::vector<std::uint64_t> asked{};  ///< what had been seen of each head when its first copy was sent
    bool unanswered = false;             ///< a copy of the transaction may have been applied
    std::int64_t beyond = 0;             ///< a number where a row stood of before the table went back, or one after it
    std::int64_t stride = 1;             ///< to the next such number: there may be many rows

    bool wanted() const;
    /// Each queue knows of it before anything is sent: it ends with the session, and its rows are ours.
    void begin_attempt();
    /// The next number is beyond that one, and each time by twice as much, up to 65,536.
    void step_over(std::int64_t taken);
    /// @param why null: somebody is before us.
    void fail(const shared_failure& why);
};

/// Draws in the background, in line with other callers of this process. @param targets of one session, at least one.
std::shared_ptr<joint_ticket> draw_jointly(const std::vector<queue_target>& targets, const protocol::ticket_face& face,
                                           bool once, unsigned places_lost);

}  // namespace dynalease::detail
