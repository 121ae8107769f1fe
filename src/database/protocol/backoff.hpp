// How long to wait before a request is sent again.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>

namespace dynalease::detail {

/// After an unanswered or failed request: 50 ms doubling to 1 s.
std::chrono::nanoseconds retry_pause(unsigned failures_so_far);
/// By up to a half: those who failed together do not try again together.
/// @param unit a uniform random number in [0, 1)
std::chrono::nanoseconds shortened(std::chrono::nanoseconds longest, double unit);
/// Both.
std::chrono::nanoseconds retry_pause(unsigned failures_so_far, double unit);

/// Between a sight and the write by it, where such writes were refused before. Another who takes a thing and gives it
/// back without a pause does so in the time of two requests, as the one who looks and writes: what he sees in step with
/// the other is over, each time, when his write arrives. @param took the sight
std::chrono::nanoseconds out_of_step(std::chrono::nanoseconds took, double unit);

}  // namespace dynalease::detail
