// Somebody in a process who calls the library, rests between calls, and now and then changes its mind about one.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/process.hpp"

#include <dynalease/testing/tape.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <memory>

namespace dynalease::simulation {

class user : public std::enable_shared_from_this<user> {
public:
    user(const user&) = delete;
    user& operator=(const user&) = delete;

    /// What it waits for ends.
    void interrupt();

protected:
    /// @param cancellation label of the choice of how it is cancelled
    user(testing::tape& choices, process& at, const char* cancellation)
        : choices_(choices), process_(at), cancellation_(cancellation) {}
    ~user() = default;

    /// For calls that it may cancel. (Boost 1.81 cannot bind a slot to `asio::deferred`.)
    auto cancellable() {
        return boost::asio::bind_cancellation_slot(cancel_.slot(), boost::asio::as_tuple(boost::asio::use_awaitable));
    }
    /// Before and after each call: a change of mind concerns the call that it was made for.
    void next_operation() {
        ++operation_;
        process_.act();
    }
    void cancel_after(std::chrono::nanoseconds time);
    boost::asio::awaitable<void> sleep_up_to(const char* label, std::chrono::milliseconds longest);

private:
    testing::tape& choices_;
    process& process_;
    const char* const cancellation_;
    std::uint64_t operation_ = 0;
    boost::asio::cancellation_signal cancel_;
};

}  // namespace dynalease::simulation
