// The tickets that are drawn, or being drawn, in this process, and who wants them.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "queue/queue_entrant.hpp"
#include "queue/queue_hold.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>

namespace dynalease::detail {

class drawn_tickets {
public:
    /// Begins another ticket for it, under a name of its own: a row of the former, should it come after all, is
    /// nobody's.
    void begin_ticket(const std::shared_ptr<queue_entrant>& who, const std::string& attempt);
    /// Somebody here waits with it, has its turn, or still gives it back.
    bool alive(const std::string& attempt) const;
    /// All who have a ticket, or draw one.
    void fail_all(const failure& why) const;

    /// Some are wanted, and neither wait nor are served yet.
    bool any_entering() const noexcept { return entering_ > 0; }
    void begin_entering(queue_entrant& who) noexcept;
    void end_entering(queue_entrant& who) noexcept;

    /// Some are being given up.
    bool any_withdrawing() const noexcept { return withdrawing_ > 0; }
    void begin_withdrawing() noexcept { ++withdrawing_; }
    void end_withdrawing() noexcept { --withdrawing_; }

private:
    struct known_ticket {
        std::weak_ptr<drawn_ticket> ticket;
        std::weak_ptr<queue_entrant> who;
    };
    std::unordered_map<std::string, known_ticket> known_;  ///< by attempt
    std::size_t crowded_ = 0;  ///< of so many those that nobody wants any more are forgotten
    std::size_t entering_ = 0;
    std::size_t withdrawing_ = 0;
};

}  // namespace dynalease::detail
