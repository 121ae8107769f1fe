// From how long a caller waits to when that ends.
// SPDX-License-Identifier: BSL-1.0
#include "session/wait_limit.hpp"

#include <algorithm>

namespace dynalease::detail {

wait_limit limit_of(const session_impl& core, std::optional<std::chrono::nanoseconds> wait, bool tries) {
    if (tries || (wait && *wait == std::chrono::nanoseconds::zero())) return {.once = true};
    if (!wait) return {};
    if (*wait == until_known) return {.once = true, .until_known = true};
    const auto now = core.now();  // once: it would not fit any more after a second look at the clock
    return {.deadline = now + std::min(*wait, dynalease::time_point::max() - now)};
}

}  // namespace dynalease::detail
