// What counts on one executor and is read on any thread.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/histogram.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace dynalease::detail {

/// Changed on one executor alone, and read on any thread.
class tallied {
public:
    operator std::uint64_t() const noexcept { return count_.load(std::memory_order_relaxed); }
    tallied& operator+=(std::uint64_t more) noexcept {
        count_.store(*this + more, std::memory_order_relaxed);
        return *this;
    }
    tallied& operator-=(std::uint64_t less) noexcept {
        count_.store(*this - less, std::memory_order_relaxed);
        return *this;
    }
    tallied& operator++() noexcept { return *this += 1; }
    tallied& operator--() noexcept { return *this -= 1; }
    void set(std::uint64_t count) noexcept { count_.store(count, std::memory_order_relaxed); }
    void raise_to(std::uint64_t least) noexcept { *this += std::max<std::uint64_t>(*this, least) - *this; }

private:
    std::atomic<std::uint64_t> count_{0};
};

/// A histogram, so counted and read.
class tallied_times {
public:
    void observe(std::chrono::nanoseconds time) noexcept {
        ++buckets_[histogram::bucket_of(time)];
        if (time.count() > 0) sum_ += static_cast<std::uint64_t>(time.count());
    }
    operator histogram() const noexcept {
        histogram::counts seen{};
        for (std::size_t i = 0; i < seen.size(); ++i) seen[i] = buckets_[i];
        return {seen, std::chrono::nanoseconds(static_cast<std::int64_t>(std::uint64_t(sum_)))};
    }

private:
    std::array<tallied, histogram::counts{}.size()> buckets_{};
    tallied sum_;  ///< in nanoseconds
};

}  // namespace dynalease::detail
