// The pauses between copies of a request.
// SPDX-License-Identifier: BSL-1.0
#include "database/protocol/backoff.hpp"

#include <algorithm>

namespace dynalease::detail {

std::chrono::nanoseconds retry_pause(unsigned failures_so_far) {
    return std::min<std::chrono::nanoseconds>(std::chrono::milliseconds(50) * (1u << std::min(failures_so_far, 5u)),
                                              std::chrono::seconds(1));
}

std::chrono::nanoseconds shortened(std::chrono::nanoseconds longest, double unit) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(longest * (0.5 + 0.5 * unit));
}

std::chrono::nanoseconds retry_pause(unsigned failures_so_far, double unit) {
    return shortened(retry_pause(failures_so_far), unit);
}

std::chrono::nanoseconds out_of_step(std::chrono::nanoseconds took, double unit) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(2 * took * unit);
}

}  // namespace dynalease::detail
