// The times of a lease.
// SPDX-License-Identifier: BSL-1.0
#include "session/protocol/lease_times.hpp"

namespace dynalease::protocol {

lease_times lease_times_for(std::chrono::milliseconds lease, std::chrono::milliseconds heartbeat,
                            std::uint32_t drift_ppm) {
    using std::chrono::nanoseconds;
    const nanoseconds whole = lease;
    const nanoseconds period = heartbeat.count() > 0 ? nanoseconds(heartbeat) : whole / 4;
    const auto numerator = whole.count() / 1000 * 2 * static_cast<std::int64_t>(drift_ppm);
    const auto drift = numerator / (1'000'000 + static_cast<std::int64_t>(drift_ppm)) * 1000;
    const auto margin = std::chrono::ceil<std::chrono::milliseconds>(nanoseconds(drift)) + std::chrono::milliseconds(5);
    return {.lease = whole,
            .period = period,
            .beat_limit = whole / 10,
            .jeopardy = period + whole / 5,
            .hold = whole - margin};
}

time_point audit_due(time_point last_sent) {
    return last_sent + std::chrono::minutes(11);
}

}  // namespace dynalease::protocol
