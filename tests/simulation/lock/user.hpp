// Somebody in a process who takes a lock, works under it, and lets go of it in one way or another.
#pragma once

#include <dynalease/lock.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace dynalease::simulation::locks {

class site;

class user : public std::enable_shared_from_this<user> {
public:
    enum class doing { resting, waiting, holding, letting_go, gone };

    user(site& at, std::size_t lock, std::uint64_t number) : site_(at), lock_(lock), number_(number) {}

    /// Goes on until the session is over, or everyone is to stop.
    static boost::asio::awaitable<void> live(std::shared_ptr<user> self);

    doing now() const noexcept { return now_; }
    std::size_t lock() const noexcept { return lock_; }
    site& at() const noexcept { return site_; }
    /// In the user's hand: not given back, dropped, or known to be lost.
    const lock_guard* held() const noexcept { return handle_ != 0 ? &guard_ : nullptr; }
    std::uint64_t grants() const noexcept { return grants_; }
    std::uint64_t number() const noexcept { return number_; }
    /// Since the guard was had; true time.
    time_point since() const noexcept { return since_; }
    bool told_lost() const noexcept { return told_lost_; }
    bool gives_up() const noexcept { return gives_up_; }

    /// The store or the process went from under it.
    void let_go();
    /// Writes to what the lock protects: outside, where tokens are compared, and with a delay, as a network has.
    void write_outside();
    void interrupt();

private:
    boost::asio::awaitable<void> acquire();
    boost::asio::awaitable<void> hold();
    boost::asio::awaitable<void> end_hold();
    boost::asio::awaitable<void> write_fenced();
    boost::asio::awaitable<void> sleep_up_to(const char* label, std::chrono::milliseconds longest);
    void cancel_after(std::chrono::nanoseconds time);
    void got(lock_guard guard);
    bool alone() const;

    site& site_;
    const std::size_t lock_;
    const std::uint64_t number_;
    doing now_ = doing::resting;
    lock_guard guard_;
    std::uint64_t handle_ = 0;
    std::uint64_t grants_ = 0;
    time_point since_{};
    bool told_lost_ = false;
    bool gives_up_ = false;
    std::uint64_t operation_ = 0;
    boost::asio::cancellation_signal cancel_;
};

}  // namespace dynalease::simulation::locks
