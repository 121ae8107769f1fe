// The clock of one simulated process: true time with an error of its own.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/runtime/clock.hpp>
#include <dynalease/testing/process.hpp>

#include <chrono>
#include <cstdint>
#include <memory>

#pragma GCC visibility push(default)
namespace dynalease::testing {

struct virtual_clock_options {
    /// What the clock shows when it is made; machines boot at different times.
    clock::duration offset{};
    /// How much faster than true time it runs, in parts per million; within ±500,000.
    std::int64_t drift_ppm = 0;
    /// What the wall clock shows then; it runs at the same rate.
    clock::wall_time wall{std::chrono::sys_days(std::chrono::year(2026) / 1 / 1)};
};

/// Suspend counts: it follows the scheduler's time whatever the process does. One thread, as the scheduler.
/// A wait until `time_point::max()` is for ever. It may outlive the process, with nothing left to wait for.
class virtual_clock final : public clock {
public:
    explicit virtual_clock(process& process, const virtual_clock_options& options = {});
    ~virtual_clock() override;

    time_point now() const noexcept override;
    wall_time wall() const noexcept override;

    /// From now on; what waits completes by the new rate.
    void set_drift(std::int64_t ppm);
    /// Stands still until `thaw`, wall clock and all, as the clock of a machine whose hypervisor has stopped it.
    void freeze();
    void thaw();
    /// Sets the wall clock forward, or back; elapsed time is not touched.
    void step_wall(std::chrono::milliseconds step) noexcept;

private:
    class state;

    void wait_until(time_point when, wait_handler handler) override;

    std::shared_ptr<state> state_;
};

}  // namespace dynalease::testing
#pragma GCC visibility pop
