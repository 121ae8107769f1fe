// A sleep that can be ended early: what a background loop waits on between its rounds.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "runtime/waiter_list.hpp"

#include <dynalease/runtime/environment.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>

namespace dynalease::runtime {

/// For one waiter at a time. All calls belong on the environment's executor.
class alarm {
public:
    explicit alarm(const environment& environment);
    alarm(const alarm&) = delete;
    alarm& operator=(const alarm&) = delete;
    ~alarm();

    /// True when `when` is reached; false when woken by `wake`, when cancelled, or when the alarm is destroyed. A wake
    /// that came while nobody waited is remembered: the next wait returns false at once.
    boost::asio::awaitable<bool> wait_until(clock::time_point when);

    /// Ends the present wait, or the next one.
    void wake() noexcept;

private:
    struct state {
        explicit state(const environment& environment);

        std::shared_ptr<dynalease::clock> clock;
        waiter_list<unit> sleeper;
        bool woken = false;
    };

    static boost::asio::awaitable<bool> wait(std::shared_ptr<state> state, clock::time_point when);

    std::shared_ptr<state> state_;
};

}  // namespace dynalease::runtime
