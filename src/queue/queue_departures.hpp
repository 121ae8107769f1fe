// The ends of tickets: a turn is left, or a place given up. Each goes on until it is known to be done.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "queue/queue_callers.hpp"
#include "queue/queue_leftovers.hpp"
#include "queue/queue_mover.hpp"
#include "queue/queue_view.hpp"
#include "queue/queue_watch.hpp"

#include <dynalease/queue/queue.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string_view>

namespace dynalease::detail {

class queue_departures {
public:
    queue_departures(session_impl& core, queue_impl& front, queue_view& view, queue_callers& here,
                     queue_leftovers& leftovers, queue_mover& mover, queue_watch& watch) noexcept
        : core_(core), front_(front), view_(view), here_(here), leftovers_(leftovers), mover_(mover), watch_(watch) {}

    /// The turn is being given back; it was let go before, and is nobody's any more.
    void leave(const std::shared_ptr<queue_hold>& hold);
    /// Nobody wants the ticket any more.
    void withdraw(std::shared_ptr<drawn_ticket> ticket);
    /// As the log is told, and whoever leaves the turn.
    failure turn_lost(std::string_view why) const;

private:
    boost::asio::awaitable<void> give_turn_back(queue_target self, std::shared_ptr<queue_hold> hold);
    boost::asio::awaitable<void> give_place_up(queue_target self, std::shared_ptr<drawn_ticket> ticket);
    void tell_left(queue_hold& hold);
    void has_left(const std::shared_ptr<queue_hold>& hold);

    session_impl& core_;
    queue_impl& front_;
    queue_view& view_;
    queue_callers& here_;
    queue_leftovers& leftovers_;
    queue_mover& mover_;
    queue_watch& watch_;
};

}  // namespace dynalease::detail
