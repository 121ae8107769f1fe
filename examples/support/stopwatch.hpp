// Time on the wall and on the processor since it was made.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/measure.hpp"

#include <chrono>

namespace support {

class stopwatch {
public:
    double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
    /// Of this process alone.
    double cpu_seconds() const { return support::cpu_seconds() - cpu_; }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    double cpu_ = support::cpu_seconds();
};

}  // namespace support
