// One turn in a queue.
// SPDX-License-Identifier: BSL-1.0
#include "queue/queue_hold.hpp"

#include "queue/queue_impl.hpp"
#include "session/session_impl.hpp"

#include <utility>

namespace dynalease::detail {

queue_hold::queue_hold(std::shared_ptr<session_impl> session, std::shared_ptr<queue_impl> front,
                       std::shared_ptr<drawn_ticket> ticket, std::optional<dynalease::time_point> unwritten_until,
                       bool wanted)
    : hold(std::move(session), wanted),
      front_(std::move(front)),
      ticket_(std::move(ticket)),
      unwritten_until_(unwritten_until.value_or(dynalease::time_point::max())),
      written_(!unwritten_until),
      passes_(ticket_->mine.ticket),
      over_(core()->world()) {}

const std::string& queue_hold::name() const noexcept {
    return front_->queue().entity;
}

std::string queue_hold::title() const {
    return protocol::words_of_queue(front_->queue());
}

bool queue_hold::expired() const noexcept {
    return !written_ && core()->now() >= unwritten_until_;
}

bool queue_hold::is_protected() const noexcept {
    return core()->may_write() && !expired();
}

void queue_hold::give_back() {
    front_->leave(std::static_pointer_cast<queue_hold>(shared_from_this()));
}

void abandon(queue_hold& hold) noexcept {
    hold.abandon();
}

}  // namespace dynalease::detail
