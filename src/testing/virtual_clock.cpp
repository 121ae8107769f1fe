// From true time to a clock's own and back.
// SPDX-License-Identifier: BSL-1.0
#include "runtime/context_tenant.hpp"
#include "runtime/wait_queue.hpp"

#include <dynalease/testing/scheduler.hpp>
#include <dynalease/testing/virtual_clock.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/error.hpp>

#include <algorithm>
#include <cassert>
#include <optional>

namespace dynalease::testing {

namespace asio = boost::asio;

class virtual_clock::state final : public runtime::context_tenant {
public:
    state(process& process, const virtual_clock_options& options)
        : context_tenant(process),
          scheduler_(process.scheduler()),
          executor_(process.get_executor()),
          true_base_(scheduler_.now()),
          base_(options.offset),
          ppm_(options.drift_ppm),
          wall_base_(options.wall - std::chrono::floor<std::chrono::milliseconds>(options.offset)) {
        assert(in_range(options.drift_ppm));
    }

    time_point now() const noexcept {
        if (!abandoned_) last_ = at(scheduler_.now());
        return last_;
    }

    wall_time wall() const noexcept {
        return wall_base_ + std::chrono::floor<std::chrono::milliseconds>(now().time_since_epoch());
    }

    void step_wall(std::chrono::milliseconds step) noexcept { wall_base_ += step; }

    void set_drift(std::int64_t ppm) {
        assert(in_range(ppm));
        base_ = now();
        true_base_ = scheduler_.now();
        ppm_ = ppm;
        arm();
    }

    void freeze() {
        base_ = now();
        frozen_ = true;
        disarm();
    }

    void thaw() {
        if (!frozen_) return;
        true_base_ = scheduler_.now();
        frozen_ = false;
        arm();
    }

    void add(time_point when, wait_handler&& handler) {
        if (abandoned_) return;
        auto wait = std::make_shared<runtime::timed_wait>(executor_, std::move(handler));
        if (when <= now()) {
            wait->complete({});
            return;
        }
        auto slot = asio::get_associated_cancellation_slot(wait->handler());
        if (slot.is_connected()) {
            slot.assign([owner = weak_self(), weak = std::weak_ptr(wait)](asio::cancellation_type type) {
                const auto clock = owner.lock();
                const auto cancelled = weak.lock();
                if (clock && cancelled && type != asio::cancellation_type::none) clock->cancel(*cancelled);
            });
        }
        waits_.add(when, wait);
        arm();
    }

    void close() noexcept {
        while (auto wait = waits_.take_first()) wait->complete(asio::error::operation_aborted);
        if (!abandoned_) disarm();
    }

private:
    static bool in_range(std::int64_t ppm) noexcept { return ppm >= -500'000 && ppm <= 500'000; }

    std::weak_ptr<state> weak_self() { return std::static_pointer_cast<state>(shared_from_this()); }

    time_point at(time_point true_time) const noexcept {
        return frozen_ ? base_ : base_ + scaled(true_time - true_base_);
    }

    /// Split so that no product overflows, however long the simulation; rounded down, so that it never shows a time
    /// before that has come.
    duration scaled(duration elapsed) const noexcept {
        const auto whole = elapsed.count() / million * ppm_;
        const auto part = elapsed.count() % million * ppm_;
        return elapsed + duration(whole + part / million - (part % million < 0 ? 1 : 0));
    }

    /// The first true time at which this clock shows `when`.
    time_point true_time_of(time_point when) const noexcept {
        constexpr duration never(duration::rep{1} << 61);
        const auto wanted = std::min(when - base_, never);
        const auto rate = million + ppm_;
        duration elapsed(wanted.count() / rate * million + wanted.count() % rate * million / rate);
        while (scaled(elapsed) < wanted) ++elapsed;
        while (elapsed > duration{} && scaled(elapsed - duration(1)) >= wanted) --elapsed;
        return true_base_ + elapsed;
    }

    void cancel(runtime::timed_wait& wait) {
        if (!waits_.remove(wait)) return;
        arm();
        wait.complete(asio::error::operation_aborted);
    }

    void arm() {
        // Time shall not jump to its end for the sake of a wait without a limit.
        if (frozen_ || waits_.empty() || waits_.earliest() == time_point::max()) {
            disarm();
            return;
        }
        const auto when = true_time_of(waits_.earliest());
        if (timer_ && timer_->first == when) return;
        disarm();
        timer_ = scheduler_.add_timer(when, [owner = weak_self()] {
            if (const auto clock = owner.lock()) clock->fire();
        });
    }

    void disarm() noexcept {
        if (timer_) scheduler_.remove_timer(*timer_);
        timer_.reset();
    }

    void fire() {
        timer_.reset();
        while (auto due = waits_.take_due(now())) due->complete({});
        arm();
    }

    void abandon() noexcept override {
        disarm();
        last_ = now();
        abandoned_ = true;
        // One by one: what one of them owned may cancel another.
        while (waits_.take_first()) continue;
    }

    static constexpr std::int64_t million = 1'000'000;

    testing::scheduler& scheduler_;
    const asio::any_io_executor executor_;
    time_point true_base_;
    time_point base_;
    std::int64_t ppm_;
    wall_time wall_base_;
    runtime::wait_queue waits_;
    std::optional<scheduler::timer_id> timer_;
    bool frozen_ = false;
    bool abandoned_ = false;  // the process has ended, and perhaps the scheduler
    mutable time_point last_{};
};

virtual_clock::virtual_clock(process& process, const virtual_clock_options& options)
    : state_(std::make_shared<state>(process, options)) {}

virtual_clock::~virtual_clock() {
    state_->close();
}

virtual_clock::time_point virtual_clock::now() const noexcept {
    return state_->now();
}

virtual_clock::wall_time virtual_clock::wall() const noexcept {
    return state_->wall();
}

void virtual_clock::set_drift(std::int64_t ppm) {
    state_->set_drift(ppm);
}

void virtual_clock::freeze() {
    state_->freeze();
}

void virtual_clock::thaw() {
    state_->thaw();
}

void virtual_clock::step_wall(std::chrono::milliseconds step) noexcept {
    state_->step_wall(step);
}

void virtual_clock::wait_until(time_point when, wait_handler handler) {
    state_->add(when, std::move(handler));
}

}  // namespace dynalease::testing
