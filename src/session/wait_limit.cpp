// From how long a caller waits to when that ends.
// SPDX-License-Identifier: BSL-1.0
#include "session/wait_limit.hpp"

#include <dynalease/session.hpp>

#include <algorithm>

namespace dynalease::detail {

wait_limit limit_of(dynalease::time_point now, std::optional<std::chrono::nanoseconds> wait, bool tries) {
    if (!tries && wait == until_known) return {.once = true, .until_known = true};
    if (tries || (wait && *wait <= std::chrono::nanoseconds::zero())) return {.once = true};
    if (!wait) return {};
    return {.deadline = now + std::min(*wait, dynalease::time_point::max() - now)};
}

}  // namespace dynalease::detail
