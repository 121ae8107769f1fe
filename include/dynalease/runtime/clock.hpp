// Time as the library sees it. Everything that waits or measures takes a `clock`, so that a test can own time.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/runtime/time.hpp>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/system/error_code.hpp>

#include <utility>

#pragma GCC visibility push(default)
namespace dynalease {

class clock {
public:
    using duration = elapsed_clock::duration;
    using time_point = dynalease::time_point;
    using wall_time = dynalease::wall_time;

    clock() = default;
    clock(const clock&) = delete;
    clock& operator=(const clock&) = delete;
    virtual ~clock() = default;

    /// Elapsed time since an arbitrary start. Never goes back; goes on while the machine is suspended.
    virtual time_point now() const noexcept = 0;
    /// The wall clock. For signatures, TTL and the choice of tokens; never for who holds a lease.
    virtual wall_time wall() const noexcept = 0;

    /// Completes at `when` (at once if it is past), or with `operation_aborted` when cancelled (any type).
    /// Never completes inside the initiating call.
    template <class Token>
    auto async_wait_until(time_point when, Token&& token) {
        return boost::asio::async_initiate<Token, void(boost::system::error_code)>(initiate_wait{}, token, this, when);
    }

protected:
    using wait_handler = boost::asio::any_completion_handler<void(boost::system::error_code)>;
    virtual void wait_until(time_point when, wait_handler handler) = 0;

private:
    struct initiate_wait {
        template <class Handler>
        void operator()(Handler&& handler, clock* self, time_point when) const {
            self->wait_until(when, wait_handler(std::forward<Handler>(handler)));
        }
    };
};

}  // namespace dynalease
#pragma GCC visibility pop
