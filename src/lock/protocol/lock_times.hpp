// How often those who wait look, and how long an absent one is waited for.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "lock/protocol/lock_row.hpp"

#include <dynalease/runtime/time.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace dynalease::protocol {

/// All waiting processes together read about so many times a second, however many they are.
inline constexpr double reads_per_second = 8.3;

/// The longest that `shortest` may be: whoever looks more rarely would be taken for dead when its turn comes.
inline constexpr std::chrono::milliseconds longest_poll_interval{1000};

/// @param waiting processes that stand in line for the next grant.
/// @param unit a uniform random number in [0, 1): spreads the looks by a tenth either way.
std::chrono::nanoseconds poll_interval(std::size_t waiting, std::chrono::nanoseconds shortest, double unit);

/// When the line is full there is no place to wait in, and nobody knows how many look from outside: each does so
/// rarely, and yet often enough to find a lock that all in line have left.
std::chrono::nanoseconds overflow_interval(double unit);

/// How long the head of the line may leave a free lock standing before it is taken for dead. A live head looks
/// every `poll_interval`, of whatever length its options make it; this is half as long again as the longest.
std::chrono::nanoseconds no_show_after(std::size_t waiting);

/// Remembers since when the same head left the lock free. Lives across calls, so that repeated tries can tell.
class head_watch {
public:
    /// A look at the row. @returns whether the head of the line is to be taken for absent.
    bool sight(const lock_row& row, bool available, time_point now);

private:
    std::string head_;
    std::int64_t floor_ = 0;
    time_point since_{};
};

}  // namespace dynalease::protocol
