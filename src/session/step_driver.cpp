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

boost::asio::awaitable<void> step_driver::carry_out(protocol::step wanted) {
    if (const auto* write = std::get_if<protocol::write_step*>(&wanted)) {
        auto answer = co_await core_.target().call(std::move((*write)->request));
        if (!answer) core_.heed(answer.error());
        (*write)->answer = std::move(answer);
    } else if (const auto* read = std::get_if<protocol::read_step*>(&wanted)) {
        auto answer = co_await core_.target().call(std::move((*read)->request));
        if (!answer) core_.heed(answer.error());
        (*read)->answer = std::move(answer);
    } else if (const auto* look = std::get_if<protocol::look_step*>(&wanted)) {
        (*look)->unseen = co_await core_.remotes().look((*look)->session);
    } else if (const auto* pause = std::get_if<protocol::pause_step*>(&wanted)) {
        if (!sleep_) {
            sleep_.emplace(core_.world());
            if (woken_) sleep_->wake();
        }
        co_await sleep_->wait_until(core_.now() + (*pause)->time);
    }
}

}  // namespace dynalease::detail
