// The watch of one process over a queue: looks for the lowest of its waiting tickets, and at what stands before it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "queue/protocol/poll_plan.hpp"
#include "queue/queue_callers.hpp"
#include "queue/queue_mover.hpp"
#include "queue/queue_view.hpp"
#include "runtime/alarm.hpp"

#include <dynalease/queue/queue.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::detail {

class queue_watch {
public:
    queue_watch(session_impl& core, queue_impl& front, queue_view& view, const queue_callers& here, queue_mover& mover,
                const queue_options& options) noexcept
        : core_(core), front_(front), view_(view), here_(here), mover_(mover), options_(options) {}

    // ---- for those who wait ----
    /// Somebody waits: one coroutine looks for all.
    void begin();
    /// Who waits, or what is known of the turn, has changed.
    void wake() noexcept {
        if (sleep_) sleep_->wake();
    }
    /// Another one is the lowest.
    void new_lowest();
    /// ... and may have the turn already.
    void look_now() { polls_.look_now(core_.now()); }
    /// The head was seen to move.
    void moved();
    /// It went back: what was found out of the rows counts no more.
    void forget() noexcept { examined_.passed.reset(); }
    /// A ticket is over that was not passed yet.
    void found_gone(std::int64_t ticket);

    // ---- for those who wait for nobody ----
    /// Looks at what stands in the queue, and passes over who is dead: of use to the next of them.
    void examine_soon();
    /// Who has the turn is being found out for a try that came then, and was refused: ends when it is known, and soon.
    boost::asio::awaitable<void> see_holder(dynalease::time_point came);

    // ---- for those who ask who lives ----
    /// @param sample looks at some of the sessions, too
    /// @returns the first page of what stands before `until`, or why there is none
    boost::asio::awaitable<queue_view::page> examine(std::int64_t until, bool sample);
    boost::asio::awaitable<void> look_at_sessions(const std::vector<protocol::seen_ticket>& rows, std::int64_t until);
    /// When there may be more to see in the rows.
    dynalease::time_point next_examination() const noexcept { return examined_.next; }
    /// A session that may live has the turn, or delays it.
    bool blocked() const noexcept { return !examined_.blocker.empty(); }

private:
    boost::asio::awaitable<void> watch(queue_target self);
    boost::asio::awaitable<void> poll();
    boost::asio::awaitable<void> look_at_blocker();
    dynalease::time_point blocker_due();
    boost::asio::awaitable<bool> carry_out(protocol::examine_decision next);
    boost::asio::awaitable<answer> bury(std::vector<std::int64_t> missing);
    boost::asio::awaitable<void> examine_for_try(queue_target self);
    void examine_again(std::chrono::nanoseconds after);
    void plan_poll();
    protocol::poll_plan::line line() const;
    protocol::poll_plan::limits pace_limits();
    std::int64_t ahead_of(const protocol::place& mine) const;
    std::chrono::nanoseconds time_to_bury() const;

    session_impl& core_;
    queue_impl& front_;
    queue_view& view_;
    const queue_callers& here_;
    queue_mover& mover_;
    const queue_options& options_;

    bool on_ = false;
    std::optional<runtime::alarm> sleep_;
    protocol::poll_plan polls_;
    struct {
        std::optional<std::int64_t> passed{};  ///< its value when the rows were examined last
        dynalease::time_point next{};
        std::optional<dynalease::time_point> look_again{};  ///< when there may be more to find out than now
        std::string blocker{};                              ///< the session that has the turn, or delays it
        dynalease::time_point blocked_since{};
        unsigned looks_in_vain = 0;  ///< ... at it, one after the other
    } examined_;
    struct {
        bool running = false;
        dynalease::time_point next{};
    } for_try_;
};

}  // namespace dynalease::detail
