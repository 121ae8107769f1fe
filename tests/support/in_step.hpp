// One process that takes a thing and gives it back without a pause, and another that waits for the same thing.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/world.hpp"

#include <dynalease/dynamodb/operations.hpp>

#include <chrono>
#include <cstddef>
#include <random>

namespace dynalease::tests {

/// The requests of both take the same time.
class in_step {
public:
    /// @param target gives the lock of a process
    template <class Target>
    in_step(world& where, Target target) : busy_(where, 1), patient_(where, 2) {
        for (auto* each : {&busy_, &patient_}) delay(*each);
        const running takes(where, busy_, take_again_and_again(target(busy_), busy_, {}));
        where.scheduler.run_for(std::chrono::seconds(1));
        requests_ = 0;
        const running waits(where, patient_,
                            take_again_and_again(target(patient_), patient_, std::chrono::milliseconds(300)));
        where.scheduler.run_for(std::chrono::seconds(60));
        over_ = true;
        where.scheduler.run_for(std::chrono::seconds(15));
    }

    /// In a minute.
    std::size_t grants() const noexcept { return grants_; }
    std::size_t requests() const noexcept { return requests_; }

private:
    void delay(node& of) {
        of.network->set_plan([this, waits = &of == &patient_](const any_request&, const call_options& how) {
            if (waits && how.lane != lane::heartbeat) ++requests_;
            const std::chrono::nanoseconds one_way = std::chrono::microseconds(2500);
            const auto jitter = [&] { return std::chrono::microseconds(dice_() % 500); };
            return testing::fault{.before = one_way + jitter(), .after = one_way + jitter()};
        });
    }
    template <class Lock>
    asio::awaitable<void> take_again_and_again(Lock lock, const node& in, std::chrono::nanoseconds pause) {
        while (!over_) {
            auto guard = co_await lock.acquire();
            if (&in == &patient_) ++grants_;
            co_await guard.release();
            if (pause > pause.zero()) co_await sleep(in, pause);
        }
    }

    std::minstd_rand dice_{1};
    node busy_;
    node patient_;
    std::size_t grants_ = 0;
    std::size_t requests_ = 0;
    bool over_ = false;
};

}  // namespace dynalease::tests
