// A small world for one operation that is disturbed at one point: what all of them share, whatever the primitive.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/testing/node.hpp>
#include <dynalease/testing/world.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace dynalease::simulation {

/// For a verb of whose answer only the coming matters.
inline constexpr auto ignore = [](auto&&...) {};

class stage {
public:
    stage() = default;
    stage(const stage&) = delete;
    stage& operator=(const stage&) = delete;
    virtual ~stage() = default;

    testing::world world;
    boost::asio::cancellation_signal cancel;
    boost::asio::cancellation_signal cancel_body;  ///< of a coroutine, from its first step on

    // ---- handlers: each must be called exactly once ----
    /// Counts the call of a verb; call what it returns in the handler.
    template <class Then>
    auto handler(Then then) {
        ++expected_;
        return [this, then](auto... results) mutable {
            ++called_;
            then(std::move(results)...);
        };
    }
    /// The same, for the operation that is cancelled.
    template <class Then>
    auto cancelled_handler(Then then) {
        return boost::asio::bind_cancellation_slot(cancel.slot(), handler(std::move(then)));
    }
    bool all_called() const noexcept { return called_ == expected_; }

    /// In `time` from now, outside of any process.
    template <class What>
    void later(std::chrono::nanoseconds time, What what) {
        world.scheduler().add_timer(world.now() + time, std::move(what));
    }

    // ---- disturbances ----
    /// The first is that of the process whose operation is disturbed.
    virtual std::vector<testing::node*> nodes() = 0;
    testing::node& disturbed() { return *nodes().front(); }
    void crash() {
        crashed_ = true;
        disturbed().crash();
    }
    bool crashed() const noexcept { return crashed_; }
    /// What the program has in its hands, in the order in which it would lose them.
    virtual void destroy_handles() = 0;
    /// Whatever befell those of the nodes that still run is over.
    void let_requests_pass();
    /// The network makes a copy of its own: of a refused request only the audit finds it, eleven minutes later.
    void expect_copies() noexcept { copies_ = true; }
    bool copies_expected() const noexcept { return copies_; }

    // ---- the course of things ----
    /// One step, and a look at what must hold after each.
    bool step();
    void run_for(std::chrono::nanoseconds time);
    /// What was broken first; empty if nothing.
    const std::string& broken() const noexcept { return broken_; }
    void fail(std::string what);

    /// All is calm from here on: lets go of everything, and checks all that must hold then.
    virtual void conclude() = 0;

protected:
    /// At what must hold after each step.
    virtual void look() {}
    /// Each handler was called exactly once; those of a process that crashed, at most once.
    void check_handlers();
    /// Nothing at all may be left to happen. @param longest how late the last copy of a request may still come
    void check_still(std::chrono::nanoseconds longest);

private:
    std::size_t expected_ = 0;
    std::size_t called_ = 0;
    bool crashed_ = false;
    bool copies_ = false;
    std::string broken_;
};

}  // namespace dynalease::simulation
