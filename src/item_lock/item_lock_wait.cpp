// Waiting for one item.
// SPDX-License-Identifier: BSL-1.0
#include "item_lock/item_lock_wait.hpp"

#include "runtime/cancellation.hpp"
#include "session/session_impl.hpp"
#include "session/wait_limit.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>

#include <tuple>
#include <utility>

namespace dynalease::detail {

boost::asio::awaitable<item_answer> acquire_item(item_wish wish) {
    auto& core = *wish.target.core;
    auto& front = *wish.target.front;
    const auto [once, deadline] = limit_of(core, wish.wait, wish.tries);
    item_answer answer;
    const auto unopened = co_await core.open(deadline);
    if (unopened) {
        answer.why = *unopened;
        co_return answer;
    }
    error_code waited;
    bool may_land = false;
    item_served served;
    const bool cancelled = co_await runtime::cancellation_requested();
    if (cancelled) {
        waited = boost::asio::error::operation_aborted;
    } else if (!once || !front.busy(wish.access)) {
        item_lock_impl::waiter self(front, wish.access, once);
        ++core.counters().waiting;
        front.wake();
        auto got = co_await self.served.async_wait_until(*core.world().clock, deadline,
                                                         boost::asio::as_tuple(boost::asio::deferred));
        std::tie(waited, served) = std::move(got);
        --core.counters().waiting;
        may_land = waited && front.left(self);
    }
    if (waited) {
        answer.why = core.given_up(waited, may_land);
    } else if (served.why) {
        answer.why = *served.why;
    } else if (!served.guard && !wish.tries) {
        answer.why = failure(errc::wait_timeout);
    } else {
        answer.guard = std::move(served.guard);
    }
    co_return answer;
}

}  // namespace dynalease::detail
