// The worker processes: starts them, hears them, and lets the script wait for what they do.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "lock/scene.hpp"
#include "support/child_process.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

namespace demo {

class crew {
public:
    crew(const boost::asio::any_io_executor& executor, const std::string& endpoint, std::vector<std::string> names);

    scene& state() noexcept { return scene_; }
    support::child_process& process(std::size_t worker) { return processes_[worker]; }

    /// Waits until `reached()` is true; it is asked again after each event.
    /// @throws std::runtime_error when it is not within `limit`, or when a worker failed.
    template <class Predicate>
    boost::asio::awaitable<void> until(Predicate reached, std::chrono::seconds limit, const char* what) {
        const auto deadline = std::chrono::steady_clock::now() + limit;
        while (!reached()) {
            if (!scene_.failures().empty()) throw std::runtime_error(scene_.failures().front());
            if (std::chrono::steady_clock::now() >= deadline) throw std::runtime_error(std::string("no ") + what);
            news_.expires_at(deadline);
            co_await news_.async_wait(boost::asio::as_tuple(boost::asio::deferred));
        }
    }

private:
    boost::asio::awaitable<void> hear(std::size_t worker);

    scene scene_;
    std::deque<support::child_process> processes_;
    std::deque<boost::asio::posix::stream_descriptor> voices_;
    boost::asio::steady_timer news_;
};

}  // namespace demo
