// One grant of a lock.
#include "primitives/lock_hold.hpp"

#include "primitives/lock_front.hpp"
#include "primitives/session_core.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/post.hpp>

#include <utility>

namespace dynalease::detail {

lock_hold::lock_hold(std::shared_ptr<session_core> core, std::shared_ptr<lock_front> front,
                     const protocol::claim& claim)
    : core_(std::move(core)), front_(std::move(front)), claim_(claim) {}

bool lock_hold::valid() const noexcept {
    return state_ == guard_state::held && core_->valid();
}

guard_state lock_hold::state() const noexcept {
    const auto own = state_.load();
    if (own != guard_state::held) return own;
    switch (core_->state()) {
        case session_state::live:
            return guard_state::held;
        case session_state::jeopardy:
            return guard_state::at_risk;
        case session_state::closed:
            return guard_state::released;
        default:
            return guard_state::lost;
    }
}

const std::string& lock_hold::name() const noexcept {
    return front_->name();
}

bool lock_hold::let_go() noexcept {
    auto expected = guard_state::held;
    return state_.compare_exchange_strong(expected, guard_state::released);
}

void lock_hold::abandon() noexcept {
    if (!let_go()) return;
    boost::asio::post(core_->world().executor, [self = shared_from_this()] { self->front_->give_back(self); });
}

void lock_hold::lose() {
    auto expected = guard_state::held;
    if (!state_.compare_exchange_strong(expected, guard_state::lost)) return;
    if (lost_) lost_->complete_all({});
}

void lock_hold::finish(error_code code) {
    if (finished_) return;
    finished_ = code;
    if (released_) released_->complete_all({});
    if (lost_) lost_->complete_all({});
}

lock_hold::event& lock_hold::waiters(std::unique_ptr<event>& list) {
    if (!list) list = std::make_unique<event>(core_->world().executor);
    return *list;
}

boost::asio::awaitable<error_code> lock_hold::wait_finished() {
    if (!finished_) {
        auto done = co_await waiters(released_).async_wait(boost::asio::as_tuple(boost::asio::deferred));
        if (!finished_) co_return std::get<0>(done);
    }
    co_return *finished_;
}

boost::asio::awaitable<error_code> lock_hold::wait_lost() {
    // A guard whose deadline has passed is lost, even before the watchdog has said so.
    auto now = state();
    if (now == guard_state::held || now == guard_state::at_risk) {
        auto done = co_await waiters(lost_).async_wait(boost::asio::as_tuple(boost::asio::deferred));
        now = state();
        if (std::get<0>(done)) co_return std::get<0>(done);
    }
    co_return now == guard_state::lost ? error_code() : make_error_code(errc::not_held);
}

}  // namespace dynalease::detail
