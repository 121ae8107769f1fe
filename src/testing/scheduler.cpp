// The order of steps.
#include <dynalease/testing/scheduler.hpp>
#include <dynalease/testing/seeded_random.hpp>

#include <algorithm>
#include <vector>

namespace dynalease::testing {

scheduler::scheduler(std::uint64_t seed) : order_(seed == 0 ? nullptr : seeded_random(seed)), main_(*this) {}

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
        auto next = take_ready();
        if (next.owner->paused_) {
            next.owner->parked_.push_back(std::move(next.work));
            continue;
        }
        next.work->run();
        return true;
    }
    return false;
}

scheduler::ready_task scheduler::take_ready() {
    if (!order_) {
        auto first = std::move(ready_.front());
        ready_.pop_front();
        return first;
    }
    const auto picked = static_cast<std::ptrdiff_t>(order_->below(ready_.size()));
    std::swap(*(ready_.begin() + picked), ready_.back());
    auto last = std::move(ready_.back());
    ready_.pop_back();
    return last;
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

void scheduler::remove_timer(const timer_id& timer) noexcept {
    timers_.erase(timer);
}

void scheduler::drop(process& ended) {
    // What is destroyed unwinds coroutines, which post the rest of their unwinding: go on until none comes back.
    for (;;) {
        std::vector<std::unique_ptr<process::task>> dropped;
        for (auto& pending : ready_) {
            if (pending.owner == &ended) dropped.push_back(std::move(pending.work));
        }
        std::erase_if(ready_, [&](const ready_task& pending) { return pending.owner == &ended; });
        std::move(ended.parked_.begin(), ended.parked_.end(), std::back_inserter(dropped));
        ended.parked_.clear();
        if (dropped.empty()) return;
    }
}

}  // namespace dynalease::testing
