// Counting in windows.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/demand.hpp"

#include <utility>

namespace dynalease::simulation {

demand_checker::demand_checker(demand_bounds bounds, std::function<time_point()> now,
                               std::function<void(std::string)> broken)
    : bounds_(bounds), now_(std::move(now)), broken_(std::move(broken)) {}

std::size_t demand_checker::recent::count(time_point since) {
    while (!at_.empty() && at_.front() < since) at_.pop_front();
    return at_.size();
}

void demand_checker::act() {
    acts_.add(now_());
    refusals_.clear();
    at_once_.clear();
}

void demand_checker::check(const std::string& what, std::size_t seen, std::size_t bound) {
    if (seen <= bound) return;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(bounds_.window).count();
    broken_("S3: " + std::to_string(seen) + " " + what + " within " + std::to_string(seconds) +
            " s, where what its users did is worth " + std::to_string(bound));
}

void demand_checker::check_at_once(const std::string& row, time_point now) {
    auto& asked = at_once_[row];
    asked.add(now);
    const auto seen = asked.count(now - std::chrono::seconds(1));
    if (seen <= bounds_.at_once) return;
    broken_("S3: " + std::to_string(seen) + " requests about " + row + " within a second, and no user did anything");
}

void demand_checker::sent(const testing::logged_request& entry, const any_request& request) {
    const auto now = now_();
    const auto since = now - bounds_.window;
    const auto for_acts = acts_.count(since) * bounds_.for_an_act;
    in_all_.add(now);
    check("requests", in_all_.count(since), bounds_.in_all + for_acts);
    const bool beat = entry.lane == lane::heartbeat;
    auto& same_row = (beat ? beats_ : to_a_row_)[entry.table + "/" + entry.key];
    same_row.add(now);
    if (beat) {
        check("heartbeats of " + entry.key, same_row.count(since), bounds_.beats);
    } else {
        check("requests about " + entry.key, same_row.count(since), bounds_.to_a_row + for_acts);
        check_at_once(entry.key, now);
    }
    next_->sent(entry, request);
}

void demand_checker::failed(const testing::logged_request& entry, const any_request& request, const failure& why) {
    next_->failed(entry, request, why);
}

void demand_checker::sent_again(const testing::logged_request& entry, const any_request& request) {
    next_->sent_again(entry, request);
}

void demand_checker::applied(const testing::logged_request& entry, const any_request& request,
                             const result<any_response>& answer) {
    next_->applied(entry, request, answer);
}

void demand_checker::answered(const testing::logged_request& entry, const any_request& request,
                              const result<any_response>& answer) {
    if (is_write(request)) {
        auto& in_a_row = refusals_[entry.table + "/" + entry.key];
        const bool refused = entry.code == errc::condition_failed || entry.code == errc::transaction_canceled;
        if (answer) in_a_row = 0;
        if (refused && ++in_a_row > bounds_.refusals) {
            broken_("S3: " + std::to_string(in_a_row) + " writes of " + entry.key +
                    " were refused one after the other, for one and the same wish");
        }
    }
    next_->answered(entry, request, answer);
}

}  // namespace dynalease::simulation
