// Many deadlines, one timer: requests come and go far more often than a deadline passes.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/runtime/environment.hpp>

#include <boost/asio/cancellation_signal.hpp>
#include <boost/intrusive/set.hpp>

#include <memory>
#include <optional>

namespace dynalease::http {

/// Something that ends at a time. `expired` is called once, after the deadline was taken off the list; destroying it
/// takes it off too.
class deadline : public boost::intrusive::set_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
public:
    deadline() = default;
    deadline(const deadline&) = delete;
    deadline& operator=(const deadline&) = delete;
    virtual ~deadline() = default;

    virtual void expired() = 0;

    friend bool operator<(const deadline& left, const deadline& right) { return left.when_ < right.when_; }

private:
    friend class deadlines;
    clock::time_point when_{};
};

/// Keeps the clock waiting for the earliest of all deadlines. The wait is renewed only when it ends or comes too
/// late, so adding and removing cost no system call while requests overlap. No wait is left when none is pending,
/// so an idle pool does not keep `io_context::run` from returning.
class deadlines : public std::enable_shared_from_this<deadlines> {
public:
    explicit deadlines(environment world) : world_(std::move(world)) {}

    void add(deadline& item, clock::time_point when);
    void remove(deadline& item) noexcept;
    /// When the loop will never run again: forgets all of them and touches the executor no more.
    void abandon() noexcept;

    clock::time_point now() const noexcept { return world_.clock->now(); }

private:
    void wait();
    void woken();
    void rest_if_idle();

    environment world_;
    boost::intrusive::multiset<deadline, boost::intrusive::constant_time_size<false>> pending_;
    boost::asio::cancellation_signal cancel_wait_;
    std::optional<clock::time_point> waiting_until_;
    bool idle_check_posted_ = false;
};

}  // namespace dynalease::http
