// Carries out on the network what the protocol of a member needs.
// SPDX-License-Identifier: BSL-1.0
#include "session/step_driver.hpp"

#include "session/session_impl.hpp"

#include <utility>
#include <variant>

namespace dynalease::detail {

boost::asio::awaitable<void> step_driver::run(protocol::sequence<void> what) {
    for (auto next = steps_.begin(std::move(what)); next.index() != 0; next = steps_.go_on()) co_await carry_out(next);
}

template <class Step>
boost::asio::awaitable<void> step_driver::send(Step& wanted, call_options how) {
    const auto sent = core_.now();
    if (service_) service_->asked();
    auto answer = co_await core_.target().call(std::move(wanted.request), how);
    if (!answer) core_.heed(answer.error());
    if (service_) service_->heard(sent, why_not(answer));
    wanted.answer = std::move(answer);
}

boost::asio::awaitable<void> step_driver::look(protocol::look_step& wanted) {
    const auto sent = core_.now();
    if (service_) service_->asked();
    wanted.unseen = co_await core_.remotes().look(wanted.session);
    if (service_) service_->heard(sent, wanted.unseen ? std::make_shared<const failure>(*wanted.unseen) : nullptr);
}

boost::asio::awaitable<void> step_driver::carry_out(protocol::step wanted) {
    if (const auto* write = std::get_if<protocol::write_step*>(&wanted)) {
        call_options how;
        if (const auto limit = (*write)->beat_limit) {
            how = {.timeout = *limit, .attempt_timeout = *limit, .attempts = 1, .lane = lane::heartbeat};
        }
        co_await send(**write, how);
    } else if (const auto* erase = std::get_if<protocol::erase_step*>(&wanted)) {
        co_await send(**erase);
    } else if (const auto* read = std::get_if<protocol::read_step*>(&wanted)) {
        co_await send(**read);
    } else if (const auto* look = std::get_if<protocol::look_step*>(&wanted)) {
        co_await this->look(**look);
    } else if (const auto* pause = std::get_if<protocol::pause_step*>(&wanted)) {
        if (!sleep_) {
            sleep_.emplace(core_.world());
            if (woken_) sleep_->wake();
        }
        co_await sleep_->wait_until(core_.now() + (*pause)->time);
    }
}

}  // namespace dynalease::detail
