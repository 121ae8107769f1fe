// Carries out on the network what a sequence needs.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "database/protocol/sequence.hpp"
#include "runtime/alarm.hpp"
#include "runtime/own_process.hpp"

#include <dynalease/dynamodb/database.hpp>
#include <dynalease/runtime/time.hpp>

#include <boost/asio/awaitable.hpp>

#include <optional>

namespace dynalease::detail {

/// One for each sequence that is under way, in the frame of the coroutine that drives it. In a forked child, which has
/// copies of its parent's, nothing is sent: `errc::shut_down`.
class step_driver {
public:
    /// @param watch sees each of its calls between its attempts; null: nobody does
    explicit step_driver(const database& target, attempt_watch* watch = nullptr) noexcept
        : target_(target), watch_(watch) {}
    step_driver(const step_driver&) = delete;
    step_driver& operator=(const step_driver&) = delete;

    /// Until the sequence has ended.
    boost::asio::awaitable<void> run(protocol::sequence<void> what);
    /// Whom the sequence asks.
    protocol::stepper& steps() noexcept { return steps_; }
    /// Ends the present pause, or the next one.
    void wake() noexcept {
        woken_ = true;
        if (sleep_) sleep_->wake();
    }
    /// The caller of the coroutine has gone.
    bool cancelled() const noexcept { return cancelled_; }

protected:
    virtual ~step_driver() = default;
    attempt_watch* watch() const noexcept { return watch_; }

    /// Only sequences that belong to a session look at others.
    virtual boost::asio::awaitable<void> look(protocol::look_step& wanted);
    virtual void asked() {}
    /// @param why null: it was answered well
    virtual void heard(time_point, const failure*) {}

private:
    boost::asio::awaitable<void> carry_out(protocol::step wanted);
    template <class Step>
    boost::asio::awaitable<void> send(Step& wanted, call_options how = {});
    boost::asio::awaitable<void> pause(protocol::pause_step& wanted);

    const database& target_;
    attempt_watch* const watch_;
    const runtime::own_process process_;
    protocol::stepper steps_;
    std::optional<runtime::alarm> sleep_;  ///< since the first pause
    bool woken_ = false;
    bool cancelled_ = false;
};

}  // namespace dynalease::detail
