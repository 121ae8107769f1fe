// The public handle of a turn in a queue.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/queue/queue_turn.hpp>

#include "queue/queue_hold.hpp"
#include "queue/queue_impl.hpp"
#include "session/guard_verbs.hpp"
#include "session/session_impl.hpp"

#include <utility>

namespace dynalease {

bool queue_turn::held() const noexcept {
    return hold_ && hold_->held();
}
guard_state queue_turn::state() const noexcept {
    return hold_ ? hold_->state() : guard_state::empty;
}
std::int64_t queue_turn::ticket() const noexcept {
    return hold_ ? hold_->mine().ticket : 0;
}
std::size_t queue_turn::position() const noexcept {
    return hold_ ? hold_->position() : 0;
}
const std::string& queue_turn::name() const noexcept {
    static const std::string none;
    return hold_ ? hold_->name() : none;
}

condition_check queue_turn::fence() const {
    detail::require_grant(hold_.share().get(), "queue_turn.fence", name());
    return hold_->front().view().requests().fence(hold_->mine());
}

boost::asio::any_io_executor queue_turn::executor() const {
    return detail::executor_of(hold_.share());
}

void queue_turn::leave_verb::operator()(diagnostics* details, detail::handler_for<void> handler) && {
    detail::start_giving_back(hold, {details, "queue_turn.leave"}, std::move(handler));
}

void queue_turn::lost_verb::operator()(diagnostics* details, detail::handler_for<void> handler) && {
    detail::start_waiting_for_loss(hold, {details, "queue_turn.lost"}, std::move(handler));
}

boost::asio::awaitable<void> queue_turn::leave() {
    return detail::await_verb<void>(executor(), leave_verb{hold_.share()});
}

boost::asio::awaitable<void> queue_turn::lost() const {
    return detail::await_verb<void>(executor(), lost_verb{hold_.share()});
}

}  // namespace dynalease
