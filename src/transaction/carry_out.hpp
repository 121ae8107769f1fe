// Carrying a machine of transactions out until its caller can be told, and what that is told.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "transaction/errand_driver.hpp"
#include "transaction/protocol/coordinator.hpp"
#include "transaction/protocol/native_call.hpp"
#include "transaction/transactions_impl.hpp"

#include <dynalease/dynamodb/failure.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

namespace dynalease::detail {

/// For the answer to a commit that its caller does not want to wait for any more.
inline constexpr std::chrono::seconds longest_farewell{10};
/// For what is to be done after the caller was told. Whoever meets an item that is held then frees it.
inline constexpr std::chrono::seconds longest_afterwork{60};

/// Decided, and every item given back that can be: what its own caller reads next is what it has written. What was
/// committed need not be done for that; an id that was rolled back may be run again at once.
inline bool settled(const protocol::coordinator& machine) {
    using enum protocol::run_phase;
    const bool may_wait = machine.decided() == protocol::run_verdict::committed && !machine.took_over();
    const bool sets_aside = machine.now() == setting_aside && may_wait;
    return sets_aside || machine.now() == finishing || machine.now() == ended;
}
inline bool settled(const protocol::native_call& machine) {
    return machine.now() == protocol::native_call::phase::ended;
}

/// Others hold what it wants.
inline bool waits(const protocol::coordinator& machine) {
    return std::ranges::any_of(machine.items(), [](const auto& each) { return each.rival.has_value(); });
}
inline bool waits(const protocol::native_call& machine) {
    return machine.now() == protocol::native_call::phase::clearing;
}

/// Why a machine is stopped. @param code what ended the wait for it
template <class Machine>
failure why_stopped(const Machine& machine, error_code code) {
    if (code != boost::asio::error::timed_out) return errc::cancelled;
    return waits(machine) ? errc::locked : errc::timeout;
}

/// Until the machine is there; or, once it was stopped for that took too long, until it is settled or never will be.
template <class Machine>
boost::asio::awaitable<void> see_through(std::shared_ptr<transactions_impl> core,
                                         std::shared_ptr<errand_driver<Machine>> running,
                                         bool (*is_there)(const Machine&), time_point deadline) {
    for (bool stopped = false; !is_there(running->machine());) {
        if (running->in_child()) break;
        const auto code = co_await errand_driver<Machine>::answered(running, deadline);
        if (!code) continue;
        if (std::exchange(stopped, true)) break;
        running->stop(why_stopped(running->machine(), code));
        const auto wish = co_await boost::asio::this_coro::cancellation_state;
        if ((wish.cancelled() & boost::asio::cancellation_type::terminal) != boost::asio::cancellation_type::none)
            break;
        deadline = core->now() + longest_farewell;
    }
}

/// @returns the machine as it stood when it was settled, or when the time for that was over
template <class Machine>
boost::asio::awaitable<std::shared_ptr<errand_driver<Machine>>> carry_out(std::shared_ptr<transactions_impl> core,
                                                                          Machine machine, time_point deadline) {
    const auto running = std::make_shared<errand_driver<Machine>>(core->target(), std::move(machine));
    running->go_on();
    co_await see_through<Machine>(core, running, settled, deadline);
    running->end_at(core->now() + longest_afterwork);
    co_return running;
}

inline failure undecided() {
    failure why(errc::in_doubt, outcome::unknown);
    why.details.advice = "transactions::look tells by the id what became of it; resume or roll_back decide it";
    return why;
}

/// Why a run that has been carried out did not happen; empty: it did.
template <class Machine>
std::optional<failure> told(const Machine& machine) {
    switch (machine.decided()) {
        case protocol::run_verdict::committed:
            // By another run of the same id.
            if (machine.why().code == errc::already_committed) return machine.why();
            return std::nullopt;
        case protocol::run_verdict::rolled_back:
            return machine.why();
        case protocol::run_verdict::forgotten:
        case protocol::run_verdict::open:
            break;
    }
    auto why = undecided();
    if (!settled(machine) || !machine.why().code) return why;
    auto advice = std::exchange(why.details.advice, {});
    why = machine.why();
    if (why.details.advice.empty()) why.details.advice = std::move(advice);
    return why;
}

}  // namespace dynalease::detail
