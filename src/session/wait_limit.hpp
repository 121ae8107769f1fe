// How long a caller waits for others.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/runtime/time.hpp>

#include <chrono>
#include <optional>

namespace dynalease::detail {

struct wait_limit {
    bool once = false;                                ///< one attempt, which no deadline cuts short
    std::optional<dynalease::time_point> deadline{};  ///< of everything else; empty: the end of the session
    bool until_known = false;                         ///< ... or as many as it takes to know whether the holder lives
};

/// @param wait as callers say it: empty for ever, zero for one attempt, and so is less, of a deadline that is over
/// @param tries one attempt, whatever `wait` says
wait_limit limit_of(dynalease::time_point now, std::optional<std::chrono::nanoseconds> wait, bool tries = false);

}  // namespace dynalease::detail
