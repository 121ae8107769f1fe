// Random numbers as a port: the system's in production, a seed's in the simulator.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#pragma GCC visibility push(default)
namespace dynalease {

class random {
public:
    random() = default;
    random(const random&) = delete;
    random& operator=(const random&) = delete;
    virtual ~random() = default;

    /// That of `environment::system` may be called from any thread.
    virtual std::uint64_t next() = 0;

    /// Uniform in [0, bound); 0 for bound 0. The same on every standard library for the same numbers.
    std::uint64_t below(std::uint64_t bound);
    /// Uniform in [0, 1).
    double unit();
};

}  // namespace dynalease
#pragma GCC visibility pop
