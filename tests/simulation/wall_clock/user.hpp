// Somebody in a process who locks an item by the wall clock, writes under the lock, and lets go of it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/user.hpp"

#include <dynalease/wall_clock_lock.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace dynalease::simulation::wall_clocks {

class process;

class user final : public simulation::user {
public:
    user(process& at, std::size_t item);

    /// Goes on until everyone is to stop.
    static boost::asio::awaitable<void> live(std::shared_ptr<user> self);

    process& at() const noexcept { return process_; }
    std::size_t target() const noexcept { return item_; }
    /// That it has the item: its guard says so.
    bool believes() const { return handle_ != 0 && guard_.held(); }
    std::uint64_t handle() const noexcept { return handle_; }
    bool waits() const noexcept { return waits_; }
    bool gone() const noexcept { return gone_; }
    /// Locks it got.
    std::uint64_t served() const noexcept { return served_; }
    /// It gives it back, or its process went from under it.
    void let_go();

private:
    boost::asio::awaitable<void> lock_and_write();
    boost::asio::awaitable<void> write();
    boost::asio::awaitable<void> end_hold();
    void take(wall_clock_guard guard);
    void perhaps_cancel();
    /// How long it waits for others.
    std::optional<std::chrono::nanoseconds> patience();
    std::chrono::milliseconds longest_hold();
    void note_failure(error_code code);
    void learn(std::int64_t number, error_code code);

    process& process_;
    const std::size_t item_;
    const wall_clock_lock lock_;
    wall_clock_guard guard_;
    std::uint64_t handle_ = 0;  ///< of what it has in its hand; 0: nothing
    std::uint64_t served_ = 0;
    bool doubted_ = false;  ///< a write under it was in doubt
    bool waits_ = false;
    bool gone_ = false;
};

}  // namespace dynalease::simulation::wall_clocks
