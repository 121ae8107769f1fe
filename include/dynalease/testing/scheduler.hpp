// Runs simulated processes with virtual time: a simulated hour takes milliseconds, and a seed fixes the order.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/runtime/clock.hpp>
#include <dynalease/runtime/random.hpp>
#include <dynalease/testing/process.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease::testing {

/// Time stands still while a handler can run, then jumps to the next wait. Never starts a thread; use it from one.
/// Destroy it, and the processes on it, at any step: what is pending is destroyed without being called.
class scheduler {
public:
    using duration = clock::duration;
    using time_point = clock::time_point;
    using executor_type = process::executor_type;

    /// @param seed picks the next process among those that are ready, each of which keeps its own order; 0: first
    /// come, first run.
    explicit scheduler(std::uint64_t seed = 0);
    /// Picks by the numbers of `order`; null: first come, first run.
    explicit scheduler(std::shared_ptr<random> order);
    scheduler(const scheduler&) = delete;
    scheduler& operator=(const scheduler&) = delete;
    ~scheduler();

    /// The process that is always there; a test of one process needs no other.
    process& main() noexcept { return main_; }
    executor_type get_executor() noexcept { return main_.get_executor(); }

    /// True time since the start, of which each `virtual_clock` makes its own.
    time_point now() const noexcept { return now_; }

    /// Runs one handler, or moves time to the next wait. False when nothing can happen any more.
    bool step();
    /// Steps until nothing can happen any more. A loop that waits for ever keeps it from returning.
    /// @returns the number of steps.
    std::size_t run();
    /// All that happens up to and including `when`, which is then the time.
    std::size_t run_until(time_point when);
    std::size_t run_for(duration time) { return run_until(now_ + time); }

    /// Lets time pass while no handler runs, as a suspended machine does; what became due meanwhile runs after it.
    void advance(duration time) noexcept { now_ += time; }

    /// For clocks: calls `due` when time has come to `when`, outside of any process.
    using timer_id = std::pair<time_point, std::uint64_t>;
    timer_id add_timer(time_point when, std::function<void()> due);
    void remove_timer(const timer_id& timer) noexcept;
    /// When the wait that is due as number `index` from now is due; for faults that aim at it.
    std::optional<time_point> pending_wait(std::size_t index) const;

private:
    friend class process;

    bool run_ready();
    bool fire_timers(time_point limit);
    std::size_t pick() const;
    void list(process& ready);
    void forget(process& ended) noexcept;

    std::shared_ptr<random> order_;  // null: first come, first run
    time_point now_{};
    std::uint64_t timers_added_ = 0;
    std::map<timer_id, std::function<void()>> timers_;
    std::uint64_t tasks_added_ = 0;
    std::vector<process*> ready_;
    process main_;
};

}  // namespace dynalease::testing
#pragma GCC visibility pop
