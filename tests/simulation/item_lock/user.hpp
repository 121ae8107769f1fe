// Somebody in a process who locks an item, writes under the lock, and lets go of it; or who saves it optimistically.
#pragma once

#include "simulation/framework/participant.hpp"

#include <dynalease/item_lock.hpp>
#include <dynalease/versioned.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace dynalease::simulation::item_locks {

class site;

class user final : public participant {
public:
    user(site& at, std::size_t item, bool saves);

    /// Goes on until the session is over, or everyone is to stop.
    static boost::asio::awaitable<void> live(std::shared_ptr<user> self);

    site& at() const noexcept { return site_; }
    bool saves() const noexcept { return saves_; }
    std::size_t target() const noexcept { return item_; }
    /// In the user's hand: not given back, dropped, or known to be lost.
    const item_guard* held() const noexcept { return handle_ != 0 ? &guard_ : nullptr; }
    bool waits() const noexcept { return waits_; }
    bool gone() const noexcept { return gone_; }
    /// Locks it got, and saves that succeeded.
    std::uint64_t served() const noexcept { return served_; }
    /// The store or the process went from under it.
    void let_go();

private:
    boost::asio::awaitable<void> lock_and_write();
    boost::asio::awaitable<void> write(bool last);
    boost::asio::awaitable<void> end_hold();
    boost::asio::awaitable<void> save();
    void perhaps_cancel();
    void learn(std::int64_t number, error_code code, const item* left);

    site& site_;
    const std::size_t item_;
    const bool saves_;
    item_guard guard_;
    std::uint64_t handle_ = 0;
    std::uint64_t served_ = 0;
    bool waits_ = false;
    bool gone_ = false;
};

}  // namespace dynalease::simulation::item_locks
