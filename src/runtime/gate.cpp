// Passes, and who waits for the last of them.
// SPDX-License-Identifier: BSL-1.0
#include "runtime/gate.hpp"

#include "runtime/cancellation.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/error.hpp>

#include <tuple>

namespace dynalease::runtime {

namespace asio = boost::asio;

struct gate::state {
    explicit state(const asio::any_io_executor& executor) : idle(executor) {}

    waiter_list<unit> idle;
    std::size_t count = 0;
    bool closed = false;
};

namespace {

asio::awaitable<boost::system::error_code> wait(std::shared_ptr<waiter_list<unit>> idle) {
    const bool cancelled = co_await cancellation_requested();
    if (cancelled) co_return asio::error::operation_aborted;
    const auto served = co_await idle->async_wait(asio::as_tuple(asio::deferred));
    co_return std::get<0>(served);
}

asio::awaitable<boost::system::error_code> wait_until(std::shared_ptr<waiter_list<unit>> idle, clock* clock,
                                                      clock::time_point deadline) {
    const bool cancelled = co_await cancellation_requested();
    if (cancelled) co_return asio::error::operation_aborted;
    const auto served = co_await idle->async_wait_until(*clock, deadline, asio::as_tuple(asio::deferred));
    co_return std::get<0>(served);
}

asio::awaitable<boost::system::error_code> already_idle() {
    co_return boost::system::error_code{};
}

}  // namespace

gate::pass::pass(std::shared_ptr<state> entered) : state_(std::move(entered)) {
    ++state_->count;
}

void gate::pass::leave(const std::shared_ptr<state>& left) noexcept {
    if (left && --left->count == 0) left->idle.complete_all({});
}

gate::gate(const asio::any_io_executor& executor) : state_(std::make_shared<state>(executor)) {}

gate::pass gate::enter() {
    return state_->closed ? pass() : pass(state_);
}

void gate::close() noexcept {
    state_->closed = true;
}

bool gate::closed() const noexcept {
    return state_->closed;
}

std::size_t gate::count() const noexcept {
    return state_->count;
}

asio::awaitable<boost::system::error_code> gate::wait_idle() {
    if (state_->count == 0) return already_idle();
    return wait(std::shared_ptr<waiter_list<unit>>(state_, &state_->idle));
}

asio::awaitable<boost::system::error_code> gate::wait_idle_until(clock& clock, clock::time_point deadline) {
    if (state_->count == 0) return already_idle();
    return wait_until(std::shared_ptr<waiter_list<unit>>(state_, &state_->idle), &clock, deadline);
}

}  // namespace dynalease::runtime
