// Somebody in a process who takes a lock, works under it, and lets go of it in one way or another.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/user.hpp"

#include <dynalease/lock.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace dynalease::simulation::locks {

class process;

class user final : public simulation::user {
public:
    enum class doing { resting, waiting, holding, letting_go, gone };

    user(process& at, std::size_t lock, std::uint64_t number);

    /// Goes on until the session is over, or everyone is to stop.
    static boost::asio::awaitable<void> live(std::shared_ptr<user> self);

    doing now() const noexcept { return now_; }
    bool waits() const noexcept { return now_ == doing::waiting; }
    bool gone() const noexcept { return now_ == doing::gone; }
    std::size_t lock() const noexcept { return lock_; }
    process& at() const noexcept { return process_; }
    /// In the user's hand: not given back, dropped, or known to be lost.
    const lock_guard* held() const noexcept { return handle_ != 0 ? &guard_ : nullptr; }
    /// Whose guard it is.
    const std::string& session() const noexcept { return session_; }
    /// Guards it got.
    std::uint64_t served() const noexcept { return served_; }
    bool told_lost() const noexcept { return told_lost_; }

    /// The store or the process went from under it.
    void let_go();
    /// Writes to what the lock protects: outside, where tokens are compared.
    void write_outside();
    /// A take, a hand-over or a release of its process had no answer, or one that says to try again.
    void write_failed(std::size_t lock, bool in_doubt);
    /// An answer showed a lock's row. @param asked by the process's clock @param holder empty: free
    void lock_seen(std::size_t lock, time_point asked, std::string holder);
    /// A write that was to bring its process the lock has done so. @param asked as above
    void grant_written(std::size_t lock, time_point asked);

private:
    /// A call for the lock, as it began.
    struct attempt {
        bool tries;
        bool until_known;      ///< ... whether the holder lives
        bool was_live;         ///< its session, so that nothing but the lock was asked for
        std::uint64_t life;    ///< ... which one
        time_point began;      ///< true time
        time_point own_began;  ///< by the process's clock
    };

    boost::asio::awaitable<void> acquire();
    boost::asio::awaitable<void> hold();
    boost::asio::awaitable<void> end_hold();
    /// Holds what the caller is told against what its network showed.
    void check_told(const attempt& of, error_code told);
    void check_fate(error_code told);
    void check_release(std::int64_t token, error_code told);
    /// Whether the caller is told at once of the failure that ended its call.
    void check_delay(const char* of);
    void look();
    void look_at_all();
    void got(lock_guard guard);
    bool alone() const;

    process& process_;
    const std::size_t lock_;
    const std::uint64_t number_;
    doing now_ = doing::resting;
    lock_guard guard_;
    std::string session_;  ///< that it was granted to
    std::uint64_t handle_ = 0;
    std::uint64_t served_ = 0;
    bool told_lost_ = false;
    bool tries_ = false;
    std::uint64_t life_ = 1;                 ///< of the session, when the call began
    std::optional<std::string> seen_first_;  ///< the holder in the first answer to what was asked since the call
    time_point seen_first_at_{};             ///< by the process's clock
    std::optional<time_point> won_by_;       ///< when the write was sent that brought the lock, by the process's clock
    time_point asked_at_{};                  ///< by the process's clock
    std::optional<time_point> failed_;       ///< when the caller should have been told, by the process's clock
    const std::chrono::milliseconds poll_interval_;
};

}  // namespace dynalease::simulation::locks
