// Finding a time's bucket.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/histogram.hpp>

#include <algorithm>

namespace dynalease {

void histogram::observe(std::chrono::nanoseconds time) noexcept {
    time = std::max(time, std::chrono::nanoseconds::zero());
    const double seconds = std::chrono::duration<double>(time).count();
    const auto bound = std::ranges::lower_bound(bounds, seconds);
    ++buckets_[static_cast<std::size_t>(bound - bounds.begin())];
    ++count_;
    sum_ += time;
}

}  // namespace dynalease
