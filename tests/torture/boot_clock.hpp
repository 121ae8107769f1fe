// The clock that all processes of a machine share: it goes on while one of them, or the machine, is suspended.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <time.h>

#include <chrono>

namespace torture {

/// Time since the machine started.
using instant = std::chrono::nanoseconds;

inline instant boot_time() noexcept {
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

}  // namespace torture
