// Carries out what a machine of transactions wants done, as many requests at a time as it says.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "runtime/alarm.hpp"
#include "runtime/gate.hpp"
#include "runtime/own_process.hpp"
#include "runtime/spawn.hpp"
#include "runtime/waiter_list.hpp"
#include "transaction/protocol/errand.hpp"

#include <dynalease/dynamodb/database.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

namespace dynalease::detail {

/// Lives as long as a request of it is under way, or somebody waits for it. All calls belong on the database's
/// executor. In a forked child, which has a copy of its parent's, nothing is sent, and the machine is stopped.
/// @tparam Machine has `next(wall)`, which may be asked until it wants nothing, `answer(slot, with)`, `stop(why)` and
/// `ended()`
template <class Machine>
class errand_driver : public std::enable_shared_from_this<errand_driver<Machine>> {
public:
    errand_driver(database target, Machine machine)
        : target_(std::move(target)),
          machine_(std::move(machine)),
          work_(target_.get_executor()),
          changed_(target_.get_executor()) {}

    const Machine& machine() const noexcept { return machine_; }

    /// Sends what the machine wants, now and after each answer.
    void go_on() {
        // An answer may come before the call for it returns.
        if (std::exchange(sending_, true)) return;
        if (in_child()) machine_.stop(failure(errc::shut_down));
        while (!is_over()) {
            auto wanted = machine_.next(seconds());
            if (!wanted) break;
            runtime::spawn_background(target_.get_executor(), work_,
                                      carry_out(this->shared_from_this(), *std::move(wanted)));
        }
        sending_ = false;
        changed_.complete_all({});
    }
    void stop(failure why) {
        machine_.stop(std::move(why));
        go_on();
    }
    /// What it was held for.
    template <class Plan>
    void commit(Plan wanted) {
        machine_.commit(std::move(wanted));
        go_on();
    }
    /// Nothing is sent any more from then on.
    void end_at(time_point when) { end_ = when; }
    /// What is not known here by now, never will be.
    bool in_child() const noexcept { return process_.in_child(); }

    /// Completes at the next answer; with `timed_out` at that time, if one is given, `operation_aborted` when
    /// cancelled.
    static boost::asio::awaitable<error_code> answered(std::shared_ptr<errand_driver> self,
                                                       std::optional<time_point> until = {}) {
        auto& clock = *self->target_.environment().clock;
        auto done =
            co_await self->changed_.async_wait_until(clock, until, boost::asio::as_tuple(boost::asio::deferred));
        co_return std::get<0>(done);
    }

    /// Until the machine has ended, for one who cannot do without it: a cancellation stops it.
    static boost::asio::awaitable<void> run(std::shared_ptr<errand_driver> self) {
        self->go_on();
        while (!self->machine_.ended()) {
            const auto code = co_await answered(self);
            if (code) self->stop(failure(errc::cancelled));
        }
    }

private:
    bool is_over() const { return in_child() || (end_ && target_.environment().clock->now() >= *end_); }
    std::int64_t seconds() const {
        return std::chrono::ceil<std::chrono::seconds>(target_.wall().time_since_epoch()).count();
    }
    /// Those who wait for the same are not to come back together.
    std::chrono::nanoseconds jittered(std::chrono::nanoseconds pause) const {
        return pause + std::chrono::nanoseconds(
                           target_.environment().random->below(static_cast<std::uint64_t>(pause.count() / 4 + 1)));
    }

    static boost::asio::awaitable<void> carry_out(std::shared_ptr<errand_driver> self, protocol::errand wanted) {
        const auto& world = self->target_.environment();
        if (wanted.pause.count() > 0) {
            runtime::alarm pause(world);
            co_await pause.wait_until(world.clock->now() + self->jittered(wanted.pause));
        }
        if (self->in_child()) {
            self->go_on();
            co_return;
        }
        auto answer = co_await self->target_.implementation()->perform(std::move(wanted.request), call_options{});
        self->machine_.answer(wanted.slot, protocol::read_answer(std::move(answer)));
        self->go_on();
    }

    database target_;
    Machine machine_;
    const runtime::own_process process_;
    runtime::gate work_;
    runtime::waiter_list<runtime::unit> changed_;
    std::optional<time_point> end_;
    bool sending_ = false;
};

}  // namespace dynalease::detail
