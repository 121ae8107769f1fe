// The arithmetic of a queue's times.
// SPDX-License-Identifier: BSL-1.0
#include "queue/protocol/queue_times.hpp"

#include "session/protocol/lease_times.hpp"

#include <algorithm>
#include <cmath>

namespace dynalease::protocol {

namespace {
constexpr std::chrono::hours idle_head_retention{30 * 24};
constexpr std::chrono::milliseconds hand_off_allowance{100};
constexpr double slow_turns = 3;                    ///< after one that lasts
constexpr std::chrono::seconds pace_outlasted{30};  ///< a turn that has lasted beyond its pace for twice as long
}  // namespace

std::chrono::nanoseconds claim_held(std::uint32_t drift_ppm) {
    return lease_times_for(claim_time, {}, drift_ppm).hold;
}

std::chrono::nanoseconds bury_after(std::uint32_t drift_ppm) {
    const auto whole = std::chrono::nanoseconds(claim_time).count() / 1000;
    const auto drift = static_cast<std::int64_t>(drift_ppm);
    const auto stretched = whole * (1'000'000 + drift) / (1'000'000 - drift) * 1000;
    return std::chrono::nanoseconds(stretched) + std::chrono::milliseconds(20);
}

std::chrono::nanoseconds time_to_name(std::chrono::nanoseconds refused_after) {
    return std::clamp<std::chrono::nanoseconds>(refused_after, std::chrono::milliseconds(50), std::chrono::seconds(1));
}

std::chrono::nanoseconds next_poll(const poll_facts& facts, std::chrono::nanoseconds shortest,
                                   std::chrono::nanoseconds longest, double unit) {
    using seconds = std::chrono::duration<double>;
    const auto ahead = static_cast<double>(facts.ahead);
    seconds interval = shortest;
    if (facts.ahead > 1) {
        // The sum over all who wait stays bounded. A turn seen to last long is expected to last as long again, and so
        // are the next few; those behind them have the pace that turns are known to have, unless this one has outlasted
        // that.
        const auto before = static_cast<double>(std::max<std::int64_t>(facts.processes_ahead, 2));
        interval = std::min(seconds(0.33 * std::pow(before, 1.5)), seconds(static_cast<double>(facts.processes)));
        const double turns = ahead - 1;
        const seconds usual = turns * seconds(facts.pace);
        const seconds more = std::max(seconds(), seconds(facts.still) / 2 - seconds(facts.pace));
        const bool has_pace = facts.pace.count() > 0 && more <= std::max(usual, seconds(pace_outlasted));
        const seconds left = usual + (has_pace ? std::min(turns, slow_turns) : turns) * more;
        if (left.count() > 0) interval = std::min(interval, std::max(seconds(shortest), 0.6 * left));
    }
    interval = std::clamp(interval, seconds(shortest), seconds(longest)) * (0.8 + 0.4 * unit);
    return std::chrono::duration_cast<std::chrono::nanoseconds>(interval);
}

std::optional<time_point> next_survey(const survey_facts& facts) {
    const bool pays = facts.any_over || facts.surveys == 1;
    if (!pays || facts.lease_ends.empty()) return {};
    const auto first = *std::min_element(facts.lease_ends.begin(), facts.lease_ends.end());
    auto last = first;
    for (const auto end : facts.lease_ends) {
        if (end <= first + survey_within) last = std::max(last, end);
    }
    return std::max(last, facts.now);
}

std::chrono::milliseconds smoothed_pace(std::chrono::milliseconds before, std::chrono::nanoseconds turn) {
    const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(turn) + hand_off_allowance;
    if (before.count() <= 0) return now;
    return (before * 7 + now * 3) / 10;
}

std::int64_t idle_head_expiry(wall_time now, std::int64_t tail) {
    const auto wall = std::chrono::ceil<std::chrono::seconds>(now.time_since_epoch());
    const auto counted = std::chrono::ceil<std::chrono::seconds>(std::chrono::milliseconds(tail));
    return (std::max(wall, counted) + std::chrono::seconds(idle_head_retention)).count();
}

}  // namespace dynalease::protocol
