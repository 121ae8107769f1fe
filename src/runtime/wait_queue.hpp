// Handlers that wait for their time, ordered by it: the common part of the clocks.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "runtime/handler_home.hpp"

#include <dynalease/runtime/clock.hpp>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/system/error_code.hpp>

#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace dynalease::runtime {

/// One wait; complete it once it has left its queue.
class timed_wait {
public:
    using handler_type = boost::asio::any_completion_handler<void(boost::system::error_code)>;

    timed_wait(const boost::asio::any_io_executor& executor, handler_type&& handler)
        : home_(handler, executor), handler_(std::move(handler)) {
        home_.keep_running();
    }

    const handler_type& handler() const noexcept { return handler_; }

    void complete(boost::system::error_code code) { std::move(home_).post(std::move(handler_), code); }

private:
    friend class wait_queue;

    handler_home home_;
    handler_type handler_;
    std::optional<std::multimap<clock::time_point, std::shared_ptr<timed_wait>>::iterator> position_;
};

/// Not thread-safe by itself. It completes nothing: what leaves it is the caller's to complete.
class wait_queue {
public:
    void add(clock::time_point when, const std::shared_ptr<timed_wait>& wait) {
        wait->position_ = waits_.emplace(when, wait);
    }

    /// False when the wait had left the queue before.
    bool remove(timed_wait& wait) noexcept {
        if (!wait.position_) return false;
        waits_.erase(*wait.position_);
        wait.position_.reset();
        return true;
    }

    /// The first wait that is due at `now`, or null.
    std::shared_ptr<timed_wait> take_due(clock::time_point now) noexcept {
        return waits_.empty() || waits_.begin()->first > now ? nullptr : take_first();
    }

    /// The first wait, or null when the queue is empty.
    std::shared_ptr<timed_wait> take_first() noexcept {
        if (waits_.empty()) return nullptr;
        auto first = std::move(waits_.begin()->second);
        waits_.erase(waits_.begin());
        first->position_.reset();
        return first;
    }

    bool empty() const noexcept { return waits_.empty(); }
    /// Of a queue that is not empty.
    clock::time_point earliest() const noexcept { return waits_.begin()->first; }

private:
    std::multimap<clock::time_point, std::shared_ptr<timed_wait>> waits_;
};

}  // namespace dynalease::runtime
