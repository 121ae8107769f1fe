// The two kinds of time: elapsed, which decides, and wall, which is only shown and signed.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>

#pragma GCC visibility push(default)
namespace dynalease {

/// Names the points of elapsed time. Its readings come from a `clock`.
struct elapsed_clock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<elapsed_clock, duration>;
    static constexpr bool is_steady = true;
};

using time_point = elapsed_clock::time_point;
using wall_time = std::chrono::sys_time<std::chrono::milliseconds>;

}  // namespace dynalease
#pragma GCC visibility pop
