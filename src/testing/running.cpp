// Starting coroutines in nodes, and waiting for their end from outside.
// SPDX-License-Identifier: BSL-1.0
#include "runtime/spawn.hpp"

#include <dynalease/testing/running.hpp>

#include <boost/asio/deferred.hpp>

#include <iostream>
#include <stdexcept>
#include <string>

namespace dynalease::testing {

running::running(world& where, const node& in, boost::asio::awaitable<void> body)
    : world_(where), state_(std::make_shared<state>()) {
    runtime::gate gate(in.environment().executor);
    runtime::spawn_background(in.environment().executor, gate, body_of(state_, std::move(body)));
}

boost::asio::awaitable<void> running::body_of(std::shared_ptr<state> state, boost::asio::awaitable<void> body) {
    try {
        co_await std::move(body);
    } catch (...) {
        state->thrown = std::current_exception();
    }
    state->done = true;
}

running::state::~state() {
    if (!thrown || told) return;
    std::cerr << "dynalease::testing::running: nobody waited for what has failed: ";
    try {
        std::rethrow_exception(thrown);
    } catch (const std::exception& why) {
        std::cerr << why.what() << '\n';
    } catch (...) {
        std::cerr << "no std::exception\n";
    }
}

namespace {

[[noreturn]] void refuse(const std::string& why) {
    throw std::runtime_error(why +
                             "What pauses by a timer of Asio's never ends here: dynalease::sleep goes by the "
                             "simulated clock. Nor does what was in a node when it crashed, or was begun in it before "
                             "restart()");
}

}  // namespace

void running::wait(std::chrono::nanoseconds limit) {
    const auto end = world_.now() + limit;
    while (!state_->done) {
        if (world_.now() > end) {
            refuse("it does not end within its limit, " +
                   std::to_string(std::chrono::duration_cast<std::chrono::seconds>(limit).count()) +
                   " s of simulated time: something sleeps, or waits, for longer. ");
        }
        if (!world_.step()) refuse("nothing is left to happen that could end it. ");
    }
    state_->told = true;
    if (state_->thrown) std::rethrow_exception(state_->thrown);
}

void run(world& where, const node& in, boost::asio::awaitable<void> body, std::chrono::nanoseconds limit) {
    running(where, in, std::move(body)).wait(limit);
}

boost::asio::awaitable<void> sleep(const node& in, std::chrono::nanoseconds time) {
    const auto clock = in.environment().clock;
    const auto when = clock->now() + time;
    co_await clock->async_wait_until(when, boost::asio::deferred);
}

}  // namespace dynalease::testing
