// How often those who wait look, and how long an absent one is waited for.
#pragma once

#include "protocol/rows.hpp"

#include <dynalease/runtime/time.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace dynalease::protocol {

/// All waiting processes together read about so many times a second, however many they are.
inline constexpr double reads_per_second = 8.3;

/// @param waiting processes that stand in line for the next grant.
/// @param unit a uniform random number in [0, 1): spreads the looks by a tenth either way.
inline std::chrono::nanoseconds poll_interval(std::size_t waiting, std::chrono::nanoseconds shortest, double unit) {
    const std::chrono::duration<double> share(static_cast<double>(waiting) / reads_per_second);
    const auto interval = std::max(std::chrono::duration<double>(shortest), share) * (0.9 + 0.2 * unit);
    return std::chrono::duration_cast<std::chrono::nanoseconds>(interval);
}

/// When the line is full there is no place to wait in: look rarely, ever more so.
inline std::chrono::nanoseconds overflow_interval(unsigned looks_so_far, double unit) {
    const auto doubled = std::chrono::seconds(60) * (1u << std::min(looks_so_far, 4u));
    const std::chrono::duration<double> longest = std::min<std::chrono::seconds>(doubled, std::chrono::seconds(600));
    return std::chrono::duration_cast<std::chrono::nanoseconds>(longest * (0.5 + 0.5 * unit));
}

/// After an unanswered or failed request: 50 ms doubling to 1 s.
inline std::chrono::nanoseconds retry_pause(unsigned failures_so_far) {
    return std::min<std::chrono::nanoseconds>(std::chrono::milliseconds(50) * (1u << std::min(failures_so_far, 5u)),
                                              std::chrono::seconds(1));
}

/// A holder is watched once it was seen for this long: shorter holds end before a look at its session would pay.
inline constexpr std::chrono::milliseconds watch_after{500};

/// From look to look at the holder's session.
inline std::chrono::nanoseconds watch_interval(std::chrono::nanoseconds lease, std::size_t waiting) {
    const std::chrono::nanoseconds share = std::chrono::seconds(std::max<std::size_t>(waiting, 1));
    return std::max(lease / 8, std::min(share, lease));
}

/// How long the head of the line may leave a free lock standing before it is taken for dead. A live head looks
/// every `poll_interval`; this is half as long again.
inline std::chrono::nanoseconds no_show_after(std::size_t waiting) {
    const std::chrono::duration<double> share(1.5 * static_cast<double>(waiting) / reads_per_second);
    return std::max<std::chrono::nanoseconds>(std::chrono::seconds(1),
                                              std::chrono::duration_cast<std::chrono::nanoseconds>(share));
}

/// Remembers since when the same head left the lock free. Lives across calls, so that repeated tries can tell.
class head_watch {
public:
    /// A look at the row. @returns whether the head of the line is to be taken for absent.
    bool sight(const lock_row& row, bool available, time_point now) {
        if (!available || row.line.empty()) {
            head_.clear();
            return false;
        }
        if (head_ != row.line.front() || floor_ != row.floor) {
            head_ = row.line.front();
            floor_ = row.floor;
            since_ = now;
            return false;
        }
        return now - since_ >= no_show_after(row.line.size());
    }

private:
    std::string head_;
    std::int64_t floor_ = 0;
    time_point since_{};
};

}  // namespace dynalease::protocol
