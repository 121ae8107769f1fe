// Moves a queue on: past turns that are over, and what must follow then.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "queue/queue_callers.hpp"
#include "queue/queue_leftovers.hpp"
#include "queue/queue_view.hpp"

#include <dynalease/queue/queue.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <vector>

namespace dynalease::detail {

class queue_mover {
public:
    queue_mover(session_impl& core, queue_impl& front, queue_view& view, const queue_callers& here,
                queue_leftovers& leftovers) noexcept
        : core_(core), front_(front), view_(view), here_(here), leftovers_(leftovers) {}

    /// @returns whether that was done
    boost::asio::awaitable<bool> pass_over(std::vector<protocol::place> over);
    /// The head was moved by us: whoever has the turn now may be one who gave up too late to be passed by anybody.
    void after_moving();
    /// A ticket was given up behind others: where all of them are over, too, nobody may be there who would find out.
    boost::asio::awaitable<void> after_giving_up(queue_target self);

private:
    boost::asio::awaitable<void> usher(queue_target self);
    boost::asio::awaitable<void> rest(queue_target self, std::int64_t tail);

    session_impl& core_;
    queue_impl& front_;
    queue_view& view_;
    const queue_callers& here_;
    queue_leftovers& leftovers_;
    bool ushers_ = false;
};

}  // namespace dynalease::detail
