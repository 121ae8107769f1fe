// A small world for one operation that is disturbed at one point: who is on it, and what must hold at its end.
#pragma once

#include <dynalease/lock.hpp>
#include <dynalease/testing/node.hpp>
#include <dynalease/testing/world.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace dynalease::simulation::locks {

/// Process `a` does what is enumerated; `b` is the other one, if the operation needs one. `c` comes at the end, to see
/// whether the lock can be had.
class enumeration_stage {
public:
    enumeration_stage();
    enumeration_stage(const enumeration_stage&) = delete;
    enumeration_stage& operator=(const enumeration_stage&) = delete;

    struct actor {
        actor(testing::world& where, std::uint64_t seed, std::int64_t drift_ppm);

        dynalease::lock lock() { return dynalease::lock(*session, "x"); }
        bool live() const;

        testing::node machine;
        std::optional<dynalease::session> session;
        lock_guard guard;  ///< what it has, or got
    };

    testing::world world;
    actor a;
    actor b;
    actor c;
    lock_guard second;  ///< of `a`, when two in it want the lock
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

    // ---- settings ----
    /// The world goes on until `who` holds the lock.
    void hold(actor& who);
    /// ... until its session is live, and the lock known to it and free.
    void warm_up(actor& who);
    /// In `time` from now, outside of any process.
    template <class What>
    void later(std::chrono::nanoseconds time, What what) {
        world.scheduler().add_timer(world.now() + time, std::move(what));
    }

    // ---- disturbances ----
    void crash();
    /// Guards, locks and the session of `a`, in the order in which a program would lose them.
    void destroy_handles();

    /// One step, and a look at what must hold after each.
    bool step();
    void run_for(std::chrono::nanoseconds time);
    /// What was broken first; empty if nothing.
    const std::string& broken() const noexcept { return broken_; }
    void fail(std::string what);
    /// The network makes a copy of its own: of a refused request only the audit finds it, eleven minutes later.
    void expect_copies() noexcept { copies_ = true; }

    /// All is calm from here on: lets go of everything, and checks all that must hold then.
    void conclude();

private:
    void check_row(const char* when);
    void check_counters(const actor& who);
    void take_by_a_third();
    void close_all();

    std::size_t expected_ = 0;
    std::size_t called_ = 0;
    bool crashed_ = false;
    bool copies_ = false;
    error_code told_;  ///< to the third, at the end
    std::string broken_;
};

}  // namespace dynalease::simulation::locks
