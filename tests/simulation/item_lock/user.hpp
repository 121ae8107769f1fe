// Somebody in a process who locks an item, or several, writes under the lock, and lets go of it; or who saves one
// optimistically.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/user.hpp"
#include "simulation/versioned/history.hpp"

#include <dynalease/item_lock.hpp>
#include <dynalease/versioned.hpp>

#include <boost/asio/awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace dynalease::simulation::item_locks {

class process;

class user final : public simulation::user {
public:
    enum class habit { locks, saves, locks_several };
    /// An item in the user's hand; without handle it was given back, dropped, or is known to be lost.
    struct holding {
        std::size_t item = 0;
        item_guard guard{};
        std::string session{};  ///< that it was granted to
        std::uint64_t handle = 0;
        std::int64_t doubted = 0;  ///< the write that was in doubt; 0: none was
        bool told_lost = false;
        std::optional<time_point> invalid_since{};  ///< as it was noticed, by the machine's clock
    };

    user(process& at, std::size_t item, habit has);

    /// Goes on until the session is over, or everyone is to stop.
    static boost::asio::awaitable<void> live(std::shared_ptr<user> self);

    process& at() const noexcept { return process_; }
    bool saves() const noexcept { return habit_ == habit::saves; }
    bool wants_several() const noexcept { return habit_ == habit::locks_several; }
    std::size_t target() const noexcept { return item_; }
    std::vector<holding>& hands() noexcept { return hands_; }
    const std::vector<holding>& hands() const noexcept { return hands_; }
    bool waits() const noexcept { return waits_; }
    /// What it waits for, or waited for last.
    const std::vector<std::size_t>& demanded() const noexcept { return demanded_; }
    bool wants(std::size_t item) const { return waits_ && std::ranges::count(demanded_, item) != 0; }
    bool has(std::size_t item) const { return std::ranges::count(hands_, item, &holding::item) != 0; }
    bool gone() const noexcept { return gone_; }
    /// The write that it saves; 0: none.
    std::int64_t saving() const noexcept { return saving_; }
    /// Locks it got, and saves that succeeded.
    std::uint64_t served() const noexcept { return served_; }
    /// The store or the process went from under it.
    void let_go();
    /// Nothing that its own code does past the library.
    void write_outside() noexcept {}

private:
    boost::asio::awaitable<void> lock_and_write();
    boost::asio::awaitable<void> write(holding& in, bool last);
    boost::asio::awaitable<void> write_fenced(const holding& in);
    boost::asio::awaitable<void> erase(holding& in);
    boost::asio::awaitable<void> end_hold(holding& in);
    boost::asio::awaitable<void> save();

    // ---- what it is told when it gets nothing: user_told.cpp ----
    struct demand {
        std::vector<std::size_t> items;
        bool once = false;               ///< it does not wait for others
        bool asks = false;               ///< ... but until it is known whether they live
        bool alone = false;              ///< nobody else of this process had or wanted any of them when it began
        bool unlike = false;             ///< nobody else of this process wanted just these then
        std::uint64_t number = 0;        ///< among those here who want any of them
        std::uint64_t number_alike = 0;  ///< and among those who want just these
        time_point began{};
    };
    void begin_wait(std::vector<std::size_t> items);
    demand begin_demand(std::vector<std::size_t> items, bool once);
    void check_told(const demand& of, error_code code);
    void check_asked(const demand& of, error_code code);

    // ---- several items: user_several.cpp ----
    boost::asio::awaitable<void> lock_several();
    boost::asio::awaitable<void> commit();
    std::vector<std::size_t> some_items();

    item_lock lock_of(std::size_t item);
    void take(std::size_t item, item_guard guard);
    void let_go(holding& in);
    /// What it is about to write under that lock.
    void begin_write(const holding& in, std::int64_t number, versions::intent what);
    bool removes();
    std::optional<promotion> promoted();
    void perhaps_cancel();
    /// How long it waits for others.
    std::optional<std::chrono::nanoseconds> patience();
    void note_failure(error_code code);
    /// What comes back in another life of an item is another matter.
    bool one_life() const;
    void learn(std::int64_t number, std::size_t item, error_code code, const dynalease::item* left);

    process& process_;
    const std::size_t item_;
    const habit habit_;
    std::vector<holding> hands_;
    std::vector<std::size_t> demanded_;
    std::uint64_t served_ = 0;
    std::int64_t saving_ = 0;
    bool waits_ = false;
    bool gone_ = false;
};

}  // namespace dynalease::simulation::item_locks
