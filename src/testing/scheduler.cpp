// The order of steps.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/testing/scheduler.hpp>
#include <dynalease/testing/seeded_random.hpp>

#include <algorithm>
#include <iterator>
#include <vector>

namespace dynalease::testing {

scheduler::scheduler(std::uint64_t seed) : scheduler(seed == 0 ? nullptr : seeded_random(seed)) {}

scheduler::scheduler(std::shared_ptr<random> order) : order_(std::move(order)), main_(*this) {}

scheduler::~scheduler() = default;

bool scheduler::step() {
    return run_ready() || fire_timers(time_point::max());
}

std::size_t scheduler::run() {
    std::size_t steps = 0;
    while (step()) ++steps;
    return steps;
}

std::size_t scheduler::run_until(time_point when) {
    std::size_t steps = 0;
    while (run_ready() || fire_timers(when)) ++steps;
    now_ = std::max(now_, when);
    return steps;
}

bool scheduler::run_ready() {
    while (!ready_.empty()) {
        const auto picked = ready_.begin() + static_cast<std::ptrdiff_t>(pick());
        auto& next = **picked;
        auto work = next.paused_ || next.tasks_.empty() ? nullptr : std::move(next.tasks_.front().work);
        if (work) next.tasks_.pop_front();
        if (next.paused_ || next.tasks_.empty()) {
            next.listed_ = false;
            *picked = ready_.back();
            ready_.pop_back();
        }
        if (!work) continue;
        next.run(*work);
        return true;
    }
    return false;
}

std::size_t scheduler::pick() const {
    if (ready_.size() == 1) return 0;
    if (order_) return order_->below(ready_.size());
    const auto came_up = [](const process* each) { return each->tasks_.empty() ? 0 : each->tasks_.front().number; };
    const auto first = std::min_element(ready_.begin(), ready_.end(),
                                        [&](const auto* a, const auto* b) { return came_up(a) < came_up(b); });
    return static_cast<std::size_t>(first - ready_.begin());
}

void scheduler::list(process& ready) {
    if (std::exchange(ready.listed_, true)) return;
    ready_.push_back(&ready);
}

void scheduler::forget(process& ended) noexcept {
    std::erase(ready_, &ended);
}

bool scheduler::fire_timers(time_point limit) {
    if (timers_.empty() || timers_.begin()->first.first > limit) return false;
    now_ = std::max(now_, timers_.begin()->first.first);
    // All of one moment at once, so that the seed and not the order of waiting decides who goes first.
    while (!timers_.empty() && timers_.begin()->first.first <= now_) {
        const auto due = std::move(timers_.begin()->second);
        timers_.erase(timers_.begin());
        due();
    }
    return true;
}

scheduler::timer_id scheduler::add_timer(time_point when, std::function<void()> due) {
    return timers_.emplace(timer_id{when, ++timers_added_}, std::move(due)).first->first;
}

std::optional<scheduler::time_point> scheduler::pending_wait(std::size_t index) const {
    if (index >= timers_.size()) return {};
    return std::next(timers_.begin(), static_cast<std::ptrdiff_t>(index))->first.first;
}

void scheduler::remove_timer(const timer_id& timer) noexcept {
    timers_.erase(timer);
}

}  // namespace dynalease::testing
