// Times that options name, from now on.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/runtime/time.hpp>

#include <algorithm>
#include <chrono>

namespace dynalease::runtime {

/// So much later, however much that is: the end of time, where that comes before.
inline time_point later(time_point from, std::chrono::milliseconds by) {
    const auto left = std::chrono::floor<std::chrono::milliseconds>(time_point::max() - from);
    return from + std::min(by, left);
}

}  // namespace dynalease::runtime
