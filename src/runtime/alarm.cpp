// One sleeper in a list of waiters: the deadline is the rule, being served the exception.
// SPDX-License-Identifier: BSL-1.0
#include "runtime/alarm.hpp"

#include "runtime/cancellation.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/error.hpp>

#include <tuple>
#include <utility>

namespace dynalease::runtime {

namespace asio = boost::asio;

alarm::state::state(const environment& environment) : clock(environment.clock), sleeper(environment.executor) {}

alarm::alarm(const environment& environment) : state_(std::make_shared<state>(environment)) {}

alarm::~alarm() {
    state_->sleeper.complete_all(asio::error::operation_aborted);
}

asio::awaitable<bool> alarm::wait_until(clock::time_point when) {
    return wait(state_, when);
}

asio::awaitable<bool> alarm::wait(std::shared_ptr<state> state, clock::time_point when) {
    if (std::exchange(state->woken, false)) co_return false;
    const bool cancelled = co_await cancellation_requested();
    if (cancelled) co_return false;
    const auto served = co_await state->sleeper.async_wait_until(*state->clock, when, asio::as_tuple(asio::deferred));
    co_return std::get<0>(served) == asio::error::timed_out;
}

void alarm::wake() noexcept {
    if (!state_->sleeper.complete_one({})) state_->woken = true;
}

}  // namespace dynalease::runtime
