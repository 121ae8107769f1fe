// How long things took, counted by size.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#pragma GCC visibility push(default)
namespace dynalease {

/// Times in buckets that fit what a request, a wait for a lock, or a dead holder's lease takes. Copied as it is; not
/// for two threads at once.
class histogram {
public:
    /// The buckets' upper bounds in seconds; one more bucket has what is above them all.
    static constexpr std::array<double, 15> bounds{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                                                   0.5,   1,      2.5,   5,    10,    30,   60};
    /// How many times are within each bound, and above the one before it.
    using counts = std::array<std::uint64_t, bounds.size() + 1>;

    histogram() noexcept = default;
    /// What was counted elsewhere.
    /// @param sum of all of the times
    histogram(const counts& buckets, std::chrono::nanoseconds sum) noexcept : buckets_(buckets), sum_(sum) {}

    /// Which of the buckets has that time; one below zero is in the first.
    static constexpr std::size_t bucket_of(std::chrono::nanoseconds time) noexcept {
        const double seconds = std::chrono::duration<double>(time).count();
        std::size_t bucket = 0;
        while (bucket < bounds.size() && seconds > bounds[bucket]) ++bucket;
        return bucket;
    }
    /// Counts one time; one below zero as zero.
    void observe(std::chrono::nanoseconds time) noexcept {
        ++buckets_[bucket_of(time)];
        if (time.count() > 0) sum_ += time;
    }

    /// How many times there were.
    std::uint64_t count() const noexcept {
        std::uint64_t all = 0;
        for (const auto each : buckets_) all += each;
        return all;
    }
    /// All of them together.
    std::chrono::nanoseconds sum() const noexcept { return sum_; }
    /// By size.
    const counts& buckets() const noexcept { return buckets_; }

private:
    counts buckets_{};
    std::chrono::nanoseconds sum_{};
};

}  // namespace dynalease
#pragma GCC visibility pop
