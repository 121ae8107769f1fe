// The retry quota and the pauses.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/aws/retry_policy.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

namespace dynalease::aws {

using std::chrono::milliseconds;

retry_policy::retry_policy(retry_options options) : options_(options), quota_(options.quota) {}

retry_decision retry_policy::decide(retry_budget& call, retry_class why, double random_unit,
                                    std::optional<milliseconds> hint) {
    ++call.attempts;
    call.pending_cost = 0;
    if (why == retry_class::none) return {retry_verdict::final_answer};
    // The same remedy twice would not help: the second time, the answer is what it says.
    if (why == retry_class::auth_refresh && std::exchange(call.refreshed, true)) return {retry_verdict::final_answer};
    if (why == retry_class::skew && std::exchange(call.skew_corrected, true)) return {retry_verdict::final_answer};
    if (call.attempts >= options_.attempts) return {retry_verdict::attempts_used};
    if (why == retry_class::auth_refresh || why == retry_class::skew) return {retry_verdict::again};

    if (!call.outside_quota) {
        const unsigned cost = why == retry_class::throttling ? options_.throttling_cost : options_.transient_cost;
        if (quota_ < cost) return {retry_verdict::quota_used};
        quota_ -= cost;
        call.last_cost = call.pending_cost = cost;
    }
    return {retry_verdict::again, pause(why, call.attempts - 1, random_unit, hint)};
}

void retry_policy::succeeded(retry_budget& call) {
    if (call.outside_quota) return;
    const unsigned refund = call.last_cost != 0 ? call.last_cost : options_.success_refund;
    quota_ = std::min(options_.quota, quota_ + refund);
    call.last_cost = 0;
}

void retry_policy::called_off(retry_budget& call) {
    quota_ = std::min(options_.quota, quota_ + std::exchange(call.pending_cost, 0));
}

milliseconds retry_policy::pause(retry_class why, unsigned retry, double random_unit,
                                 std::optional<milliseconds> hint) const {
    const milliseconds base = why == retry_class::throttling ? options_.throttling_base : options_.transient_base;
    const double longest = static_cast<double>(options_.longest_pause.count());
    const double bound = std::min(std::ldexp(static_cast<double>(base.count()), static_cast<int>(retry)), longest);
    const milliseconds own{static_cast<std::int64_t>(random_unit * bound)};
    if (!hint) return own;
    return std::max(own, std::min(*hint, own + options_.hint_margin));
}

std::optional<milliseconds> parse_retry_after(std::string_view value) noexcept {
    std::uint32_t count = 0;
    const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), count);
    if (problem != std::errc{} || end != value.data() + value.size()) return std::nullopt;
    return milliseconds{count};
}

}  // namespace dynalease::aws
