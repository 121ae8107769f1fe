// The intervals of those who wait.
// SPDX-License-Identifier: BSL-1.0
#include "lock/protocol/lock_times.hpp"

#include "database/protocol/backoff.hpp"

#include <algorithm>

namespace dynalease::protocol {

namespace {
using std::chrono::duration_cast;
using std::chrono::nanoseconds;
using seconds_of = std::chrono::duration<double>;
}  // namespace

nanoseconds poll_interval(std::size_t waiting, nanoseconds shortest, double unit) {
    const seconds_of share(static_cast<double>(waiting) / reads_per_second);
    return duration_cast<nanoseconds>(std::max(seconds_of(shortest), share) * (0.9 + 0.2 * unit));
}

nanoseconds overflow_interval(double unit) {
    return detail::shortened(std::chrono::seconds(30), unit);
}

nanoseconds no_show_after(std::size_t waiting) {
    const seconds_of share(1.5 * static_cast<double>(waiting) / reads_per_second);
    // Looks come up to a tenth later than their interval.
    constexpr std::chrono::milliseconds shortest = longest_poll_interval * 11 / 10 * 3 / 2;
    return std::max<nanoseconds>(shortest, duration_cast<nanoseconds>(share));
}

bool head_watch::sight(const lock_row& row, bool available, time_point now) {
    if (!available || row.line.empty()) {
        head_.clear();
        return false;
    }
    if (head_ != row.line.front() || floor_ != row.floor) {
        head_ = row.line.front();
        floor_ = row.floor;
        since_ = now;
        return false;
    }
    return now - since_ >= no_show_after(row.line.size());
}

}  // namespace dynalease::protocol
