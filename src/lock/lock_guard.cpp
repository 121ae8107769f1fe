// The public handle of a grant.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/lock/lock_guard.hpp>

#include "lock/lock_hold.hpp"
#include "lock/lock_impl.hpp"
#include "session/guard_verbs.hpp"
#include "session/session_impl.hpp"

#include <utility>

namespace dynalease {

bool lock_guard::held() const noexcept {
    return hold_ && hold_->held();
}
guard_state lock_guard::state() const noexcept {
    return hold_ ? hold_->state() : guard_state::empty;
}
std::int64_t lock_guard::fencing_token() const noexcept {
    return hold_ ? hold_->claim().token : 0;
}

const std::string& lock_guard::name() const noexcept {
    static const std::string none;
    return hold_ ? hold_->front().name() : none;
}

condition_check lock_guard::fence() const {
    detail::require_grant(hold_.share().get(), "lock_guard.fence", name());
    return hold_->front().requests().fence(hold_->claim());
}

boost::asio::any_io_executor lock_guard::executor() const {
    return detail::executor_of(hold_.share());
}

void lock_guard::release_verb::operator()(diagnostics* details, detail::handler_for<void> handler) && {
    detail::start_giving_back(hold, {details, "lock_guard.release"}, std::move(handler));
}

void lock_guard::lost_verb::operator()(diagnostics* details, detail::handler_for<void> handler) && {
    detail::start_waiting_for_loss(hold, {details, "lock_guard.lost"}, std::move(handler));
}

boost::asio::awaitable<void> lock_guard::release() {
    return detail::await_verb<void>(executor(), release_verb{hold_.share()});
}

boost::asio::awaitable<void> lock_guard::lost() const {
    return detail::await_verb<void>(executor(), lost_verb{hold_.share()});
}

}  // namespace dynalease
