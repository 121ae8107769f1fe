// The clock of production: CLOCK_BOOTTIME, and one timer of the kernel for all waits.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/runtime/clock.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <memory>

namespace dynalease::runtime {

/// Goes on while the machine is suspended. Uses no thread, and nothing is pending while nobody waits, so that `run()`
/// can return. Waits may be started, and their slots may emit, on any thread; handlers complete on their associated
/// executor, or the clock's. Destroying the clock completes what waits with `operation_aborted`.
class system_clock final : public clock {
public:
    /// @throws boost::system::system_error when the process has no file descriptor left.
    explicit system_clock(const boost::asio::any_io_executor& executor);
    ~system_clock() override;

    time_point now() const noexcept override;
    wall_time wall() const noexcept override;

private:
    class timer;

    void wait_until(time_point when, wait_handler handler) override;

    std::shared_ptr<timer> timer_;
};

}  // namespace dynalease::runtime
