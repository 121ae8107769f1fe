// Carries out on the network what the protocol of a member needs.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "runtime/alarm.hpp"
#include "session/protocol/outage.hpp"
#include "session/protocol/sequence.hpp"

#include <dynalease/dynamodb/database.hpp>
#include <dynalease/runtime/time.hpp>

#include <boost/asio/awaitable.hpp>

#include <optional>

namespace dynalease::detail {

class session_impl;

/// One for each sequence that is under way, in the frame of the coroutine that drives it.
class step_driver {
public:
    explicit step_driver(session_impl& core) noexcept : core_(core) {}
    /// @param known where it is to be found, until its end
    /// @param service is told of every request, and of its answer; null: nothing is
    step_driver(session_impl& core, step_driver*& known, protocol::outage* service = nullptr) noexcept
        : core_(core), known_(&known), service_(service) {
        known = this;
    }
    ~step_driver() {
        if (known_) *known_ = nullptr;
    }
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

private:
    boost::asio::awaitable<void> carry_out(protocol::step wanted);
    template <class Step>
    boost::asio::awaitable<void> send(Step& wanted, call_options how = {});
    boost::asio::awaitable<void> look(protocol::look_step& wanted);

    session_impl& core_;
    step_driver** known_ = nullptr;
    protocol::outage* service_ = nullptr;
    protocol::stepper steps_;
    std::optional<runtime::alarm> sleep_;  ///< since the first pause
    bool woken_ = false;
};

}  // namespace dynalease::detail
