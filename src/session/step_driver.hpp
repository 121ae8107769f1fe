// Carries out on the network what the protocol of a member needs.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "runtime/alarm.hpp"
#include "session/protocol/sequence.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>

namespace dynalease::detail {

class session_impl;

/// One for each member, which has at most one sequence under way.
class step_driver {
public:
    explicit step_driver(session_impl& core) noexcept : core_(core) {}

    /// Until the sequence has ended. @param Machine has `begin` and `go_on`
    template <class Machine>
    boost::asio::awaitable<void> run(Machine& machine) {
        for (auto next = machine.begin(); next.index() != 0; next = machine.go_on()) co_await carry_out(next);
        sleep_.reset();
    }
    /// Ends the present pause, or the next one.
    void wake() noexcept {
        if (sleep_) sleep_->wake();
    }

private:
    boost::asio::awaitable<void> carry_out(protocol::step wanted);

    session_impl& core_;
    std::optional<runtime::alarm> sleep_;
};

}  // namespace dynalease::detail
