// Carries out on the network what a sequence needs.
// SPDX-License-Identifier: BSL-1.0
#include "database/step_driver.hpp"

#include <boost/asio/this_coro.hpp>

#include <stdexcept>
#include <utility>
#include <variant>

namespace dynalease::detail {

boost::asio::awaitable<void> step_driver::run(protocol::sequence<void> what) {
    for (auto next = steps_.begin(std::move(what)); next.index() != 0; next = steps_.go_on()) {
        co_await carry_out(next);
        const auto state = co_await boost::asio::this_coro::cancellation_state;
        cancelled_ = state.cancelled() != boost::asio::cancellation_type::none;
    }
}

boost::asio::awaitable<void> step_driver::look(protocol::look_step&) {
    throw std::logic_error("a sequence without a session looks at one");
}

template <class Step>
boost::asio::awaitable<void> step_driver::send(Step& wanted, call_options how) {
    if (process_.in_child()) {
        wanted.answer = failure(errc::shut_down);
        co_return;
    }
    const auto sent = target_.environment().clock->now();
    how.watch = watch_;
    asked();
    if constexpr (requires { wanted.once; }) {
        auto answer = co_await target_.implementation()->perform(std::move(wanted.request), how);
        wanted.answer = std::move(answer);
    } else {
        auto answer = co_await target_.call(std::move(wanted.request), how);
        wanted.answer = std::move(answer);
    }
    if (wanted.answer) {
        heard(sent, nullptr);
    } else {
        const auto why = wanted.answer.error();
        heard(sent, &why);
    }
}

boost::asio::awaitable<void> step_driver::pause(protocol::pause_step& wanted) {
    const auto& world = target_.environment();
    if (!sleep_) {
        sleep_.emplace(world);
        if (woken_) sleep_->wake();
    }
    co_await sleep_->wait_until(world.clock->now() + wanted.time);
}

boost::asio::awaitable<void> step_driver::carry_out(protocol::step wanted) {
    if (const auto* write = std::get_if<protocol::write_step*>(&wanted)) {
        call_options how;
        if (const auto limit = (*write)->beat_limit) {
            how = {.timeout = *limit, .attempt_timeout = *limit, .attempts = 1, .lane = lane::heartbeat};
        }
        return send(**write, how);
    }
    if (const auto* request = std::get_if<protocol::request_step*>(&wanted)) {
        call_options how;
        how.attempts = (*request)->once ? 1U : 0U;
        return send(**request, how);
    }
    if (const auto* erase = std::get_if<protocol::erase_step*>(&wanted)) return send(**erase);
    if (const auto* read = std::get_if<protocol::read_step*>(&wanted)) return send(**read);
    if (const auto* look = std::get_if<protocol::look_step*>(&wanted)) return this->look(**look);
    return pause(*std::get<protocol::pause_step*>(wanted));
}

}  // namespace dynalease::detail
