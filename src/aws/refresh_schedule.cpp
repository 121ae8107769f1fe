// Times of refreshing.
// SPDX-License-Identifier: BSL-1.0
#include "aws/refresh_schedule.hpp"

#include <algorithm>

namespace dynalease::aws {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds longest_lead = std::chrono::minutes{15};
constexpr milliseconds shortest_pause = std::chrono::seconds{30};

milliseconds share_of(milliseconds time, double part) {
    return std::chrono::duration_cast<milliseconds>(std::chrono::duration<double, std::milli>(time) * part);
}

}  // namespace

void refresh_schedule::fetched(const credentials& keys, wall_time now, double random_unit) {
    expires_at_ = keys.expiration;
    source_is_away_until_ = {};
    if (!expires_at_) return;
    const auto left = std::max(*expires_at_ - now, milliseconds{0});
    const auto lead = std::min(longest_lead, left / 2);
    fetch_from_ = *expires_at_ - lead + share_of(lead / 4, random_unit);
    // A source that hands out expired keys is ill itself, and not to be pressed.
    if (left.count() == 0) failed(now, random_unit);
}

void refresh_schedule::failed(wall_time now, double random_unit) {
    fetch_from_ = now + shortest_pause + share_of(shortest_pause, random_unit);
    source_is_away_until_ = fetch_from_ + shortest_pause;
}

freshness refresh_schedule::at(wall_time now) const {
    if (!expires_at_ || now < fetch_from_) return freshness::fresh;
    return now < std::max(*expires_at_, source_is_away_until_) ? freshness::due : freshness::expired;
}

}  // namespace dynalease::aws
