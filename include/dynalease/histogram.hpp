// How long things took, counted by size.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace dynalease {

/// Times in buckets that fit what a request or a wait for a lock takes. Copied as it is; not for two threads at once.
class histogram {
public:
    /// The buckets' upper bounds in seconds; one more bucket has what is above them all.
    static constexpr std::array<double, 13> bounds{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                                   0.25,  0.5,    1,     2.5,  5,     10};

    /// Counts one time; one below zero as zero.
    void observe(std::chrono::nanoseconds time) noexcept;

    /// How many times there were.
    std::uint64_t count() const noexcept { return count_; }
    /// All of them together.
    std::chrono::nanoseconds sum() const noexcept { return sum_; }
    /// How many were within each bound, and above the one before it.
    const std::array<std::uint64_t, bounds.size() + 1>& buckets() const noexcept { return buckets_; }

private:
    std::array<std::uint64_t, bounds.size() + 1> buckets_{};
    std::uint64_t count_ = 0;
    std::chrono::nanoseconds sum_{};
};

}  // namespace dynalease
