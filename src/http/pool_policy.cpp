// Room http: decisions of the connection pool.
// SPDX-License-Identifier: BSL-1.0
#include "http/pool_policy.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::http {

pool_policy::pool_policy(limits bounds) : limits_(bounds), places_(bounds.connections) {
    for (slot which = bounds.connections; which != 0; --which) free_.push_back(which - 1);
}

pool_policy::choice pool_policy::request(time_point now) {
    if (waiting_ != 0 || idle_.empty()) return {};
    const auto which = idle_.back();
    idle_.pop_back();
    const auto& at = places_[which];
    if (now - at.idle_since > limits_.idle_limit || too_old(at, now)) {
        discard(which);
        return {offer::retire, which};
    }
    ++in_use_;
    return {offer::reuse, which};
}

bool pool_policy::enter_line() {
    const auto soon_served = opening_ + free_.size();
    if (waiting_ >= soon_served && waiting_ - soon_served >= limits_.waiting) return false;
    ++waiting_;
    return true;
}

std::size_t pool_policy::to_open(time_point now) const {
    if (failed_at_) return now >= hold_off_until() && opening_ == 0 && waiting_ != 0 && !free_.empty() ? 1 : 0;
    const auto wanted = waiting() - std::min(waiting(), opening_);
    return std::min(wanted, free_.size());
}

std::optional<pool_policy::time_point> pool_policy::hold_off_end(time_point now) const {
    const bool stuck = failed_at_ && waiting_ != 0 && opening_ == 0 && !free_.empty() && now < hold_off_until();
    return stuck ? std::optional(hold_off_until()) : std::nullopt;
}

pool_policy::time_point pool_policy::hold_off_until() const {
    return *failed_at_ + (in_use_ != 0 ? limits_.hold_off : limits_.outage_hold_off);
}

pool_policy::slot pool_policy::begin_open() {
    const auto which = free_.back();
    free_.pop_back();
    ++opening_;
    return which;
}

void pool_policy::not_opened(slot which) {
    --opening_;
    free_.push_back(which);
}

pool_policy::after_use pool_policy::opened(slot which, time_point now) {
    --opening_;
    failed_at_.reset();
    places_[which].opened = now;
    ++in_use_;
    ++open_;
    return next_use(which, now);
}

std::size_t pool_policy::open_failed(slot which, time_point now) {
    not_opened(which);
    failed_at_ = now;
    if (in_use_ != 0 || opening_ != 0) return 0;
    const std::size_t left = waiting_;
    waiting_.set(0);
    return left;
}

pool_policy::after_use pool_policy::given_back(slot which, time_point now, bool usable) {
    if (!usable || too_old(places_[which], now)) {
        free(which);
        return after_use::discard;
    }
    return next_use(which, now);
}

std::optional<pool_policy::slot> pool_policy::retire_oldest(time_point now) {
    if (idle_.empty() || now - places_[idle_.front()].idle_since <= limits_.idle_limit) return std::nullopt;
    const auto which = idle_.front();
    idle_.erase(idle_.begin());
    discard(which);
    return which;
}

std::vector<pool_policy::slot> pool_policy::retire_all() {
    auto all = std::exchange(idle_, {});
    for (const auto which : all) discard(which);
    return all;
}

void pool_policy::free(slot which) {
    --in_use_;
    discard(which);
}

void pool_policy::discard(slot which) {
    --open_;
    free_.push_back(which);
}

pool_policy::after_use pool_policy::next_use(slot which, time_point now) {
    if (waiting_ != 0) {
        --waiting_;
        return after_use::serve;
    }
    --in_use_;
    places_[which].idle_since = now;
    idle_.push_back(which);
    return after_use::keep;
}

}  // namespace dynalease::http
