// A drawn ticket, and one turn in a queue: what a `queue_turn` points to.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "queue/protocol/queue_requests.hpp"
#include "runtime/alarm.hpp"
#include "session/hold.hpp"

#include <dynalease/queue/queue_turn.hpp>
#include <dynalease/runtime/time.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace dynalease::detail {

class queue_impl;
class session_impl;

/// Lives while anybody here waits with it, has its turn, or still gives it back.
struct drawn_ticket {
    protocol::ticket_face face;
    std::string attempt{};
    std::optional<dynalease::time_point> first_send{};  ///< of all copies of the request that draws it
    bool unanswered = false;                            ///< one of those may have been applied
    protocol::place mine{};                             ///< 0 while it is not known
    std::size_t position = 0;                           ///< how many were before it when it was drawn
    bool row_sent = false;                              ///< its row may stand in the table
    bool row_known = false;                             ///< ... and did
    std::uint64_t drawn_at = 0;                         ///< the queue's `sights`, as of which its number counts
    std::uint64_t judged_from = 0;                      ///< only a head asked for since then gives it the turn

    bool known() const noexcept { return mine.ticket != 0; }
};

class queue_hold final : public hold {
public:
    /// @param unwritten_until how long the turn is valid if it is not written down; empty: it is.
    /// @param wanted as of `hold`
    queue_hold(std::shared_ptr<session_impl> core, std::shared_ptr<queue_impl> front,
               std::shared_ptr<drawn_ticket> ticket, std::optional<dynalease::time_point> unwritten_until, bool wanted);

    // ---- any thread ----
    const protocol::place& mine() const noexcept { return ticket_->mine; }
    std::int64_t token() const noexcept override { return ticket_->mine.ticket; }
    std::size_t position() const noexcept { return ticket_->position; }
    queue_impl& front() const noexcept { return *front_; }
    const std::string& name() const noexcept override;
    std::string title() const override;

    // ---- the database's executor ----
    const std::shared_ptr<drawn_ticket>& ticket() const noexcept { return ticket_; }
    dynalease::time_point unwritten_until() const noexcept { return unwritten_until_; }
    /// Its row is in the table: from now on it lives as long as its session.
    void written_down() noexcept { written_ = true; }
    /// Nobody else may pass it over yet, whether it is being given back or not.
    bool is_protected() const noexcept;
    /// Up to this ticket is passed when it is given back: its own, and void ones of this process right behind.
    void passes(std::int64_t last) noexcept { passes_ = last; }
    std::int64_t passes() const noexcept { return passes_; }
    /// While it is given back, the next caller of this process, with nobody between, has got its turn.
    void hand_over() noexcept { handed_over_ = true; }
    bool handed_over() const noexcept { return handed_over_; }
    /// Ends the wait of whoever is to write the turn down.
    runtime::alarm& over() noexcept { return over_; }

    static const std::shared_ptr<queue_hold>& of(const queue_turn& turn) noexcept { return turn.hold_.share(); }
    static queue_turn make_turn(std::shared_ptr<queue_hold> hold) noexcept { return queue_turn(std::move(hold)); }

private:
    void give_back() override;
    bool expired() const noexcept override;

    std::shared_ptr<queue_impl> front_;
    std::shared_ptr<drawn_ticket> ticket_;
    dynalease::time_point unwritten_until_;
    std::atomic<bool> written_;
    std::int64_t passes_;
    bool handed_over_ = false;
    runtime::alarm over_;
};

}  // namespace dynalease::detail
