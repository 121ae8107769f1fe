// The rule of clock correction: one comparison both learns an offset and heals a stale one.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/aws/clock_skew.hpp>

namespace dynalease::aws {

bool clock_skew::refused(std::chrono::milliseconds used, wall_time local, std::optional<wall_time> server) noexcept {
    if (!server) return false;
    const std::chrono::milliseconds observed = *server - local;
    // Compared with the offset in use, so that a correction that did not help is not repeated, and one that has become
    // wrong because somebody set the clock is taken back.
    if (std::chrono::abs(observed - used) <= tolerated) return false;
    offset_ = observed;
    return true;
}

}  // namespace dynalease::aws
