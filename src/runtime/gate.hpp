// Counts work in flight, so that an owner can refuse more of it and wait for the last to end.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "runtime/waiter_list.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/system/error_code.hpp>

#include <cstddef>
#include <memory>
#include <utility>

#pragma GCC visibility push(default)  // dynalease::local or dynalease::testing uses it, too
namespace dynalease::runtime {

/// Open at first; closed for ever after `close()`. All calls belong on its executor, which must be serial. Passes may
/// outlive the gate.
class gate {
    struct state;

public:
    /// Counts as work in flight while it lives. Empty when the gate was closed.
    class pass {
    public:
        pass() = default;
        pass(pass&& other) noexcept = default;
        pass& operator=(pass&& other) noexcept {
            auto replaced = std::exchange(state_, std::move(other.state_));
            leave(replaced);
            return *this;
        }
        ~pass() { leave(state_); }

        explicit operator bool() const noexcept { return state_ != nullptr; }

    private:
        friend class gate;
        explicit pass(std::shared_ptr<state> entered);
        static void leave(const std::shared_ptr<state>& left) noexcept;

        std::shared_ptr<state> state_;
    };

    explicit gate(const boost::asio::any_io_executor& executor);

    /// An empty pass when the gate is closed.
    pass enter();
    /// Refuses all further entries. Work in flight goes on.
    void close() noexcept;

    bool closed() const noexcept;
    std::size_t count() const noexcept;

    /// Completes when nothing is in flight, at once if that is so already; or with `operation_aborted` when
    /// cancelled. An open gate may be entered again before the waiter goes on.
    boost::asio::awaitable<boost::system::error_code> wait_idle();
    /// The same, or `timed_out` at `deadline`.
    boost::asio::awaitable<boost::system::error_code> wait_idle_until(clock& clock, clock::time_point deadline);

private:
    std::shared_ptr<state> state_;
};

}  // namespace dynalease::runtime
#pragma GCC visibility pop
