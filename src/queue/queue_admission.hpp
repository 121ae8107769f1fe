// The way into a queue: each entrant draws its ticket, and writes it down where it has to wait.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "queue/draw_line.hpp"
#include "queue/queue_callers.hpp"
#include "queue/queue_departures.hpp"
#include "queue/queue_inquiry.hpp"
#include "queue/queue_view.hpp"
#include "queue/queue_watch.hpp"

#include <dynalease/queue/queue.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>

namespace dynalease::detail {

/// An entrant does so in a coroutine of its own, which ends with its turn, with its place in the line of those who
/// wait, or without either.
class queue_admission {
public:
    queue_admission(session_impl& core, queue_impl& front, queue_view& view, queue_callers& here, queue_watch& watch,
                    queue_departures& departures, const queue_options& options);

    /// A new ticket, or another in place of one that is void.
    void admit(std::shared_ptr<queue_entrant> who);
    /// The entrant's caller has gone, who may have been the next to draw.
    void end_drawing(queue_entrant& who);
    /// A turn that came with its ticket is protected by time alone until its row is in the table.
    void write_down_later(const std::shared_ptr<queue_hold>& hold);
    /// Callers here that enter several queues draw one after the other: none makes another's number void.
    draw_line& drawing_jointly() noexcept { return jointly_; }

private:
    using head_answer = queue_view::head_answer;
    enum class written { yes, buried, not_yet, refused };

    boost::asio::awaitable<void> run(queue_target self, std::shared_ptr<queue_entrant> who);
    boost::asio::awaitable<std::optional<protocol::ticket_step>> draw(std::shared_ptr<queue_entrant> who);
    boost::asio::awaitable<head_answer> ask_for_ticket(std::shared_ptr<queue_entrant> who, bool again);
    boost::asio::awaitable<std::optional<protocol::queue_head>> still_busy();
    std::optional<protocol::ticket_step> found_others(queue_entrant& who, const protocol::queue_head& shown);
    bool bears_silence(const queue_entrant& who) const;
    boost::asio::awaitable<written> write_down(const std::shared_ptr<queue_entrant>& who);
    boost::asio::awaitable<void> keep_writing_down(queue_target self, std::shared_ptr<queue_hold> hold);
    boost::asio::awaitable<written> put_row(std::shared_ptr<drawn_ticket> ticket, shared_failure& why,
                                            call_options options = {});

    session_impl& core_;
    queue_impl& front_;
    queue_view& view_;
    queue_callers& here_;
    queue_watch& watch_;
    queue_departures& departures_;
    queue_inquiry inquiry_;
    draw_line singly_;   ///< in the order of their calls: so they get their tickets
    draw_line jointly_;  ///< by those who enter several queues, this among them
};

}  // namespace dynalease::detail
