// A small world for one operation that is disturbed at one point: who is on it, and what must hold at its end.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/stage.hpp"

#include <dynalease/lock.hpp>

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

namespace dynalease::simulation::locks {

/// For the end of a verb.
inline auto keep(lock_guard& in) {
    return [&in](error_code, lock_guard got) { in = std::move(got); };
}

/// Process `a` does what is disturbed; `b` is the other one, if the operation needs one. `c` comes at the end, to see
/// whether the lock can be had.
class stage final : public simulation::stage {
public:
    stage();

    struct actor {
        actor(testing::world& where, std::uint64_t seed, std::int64_t drift_ppm);

        dynalease::lock lock() { return dynalease::lock(*session, "x"); }
        bool live() const;

        testing::node machine;
        std::optional<dynalease::session> session;
        lock_guard guard;  ///< what it has, or got
    };

    actor a;
    actor b;
    actor c;
    lock_guard second;  ///< of `a`, when two in it want the lock

    // ---- settings ----
    /// The world goes on until `who` holds the lock.
    void hold(actor& who);
    /// ... until its session is live, and the lock known to it and free.
    void warm_up(actor& who);

    std::vector<testing::node*> nodes() override { return {&a.machine, &b.machine, &c.machine}; }
    /// Guards, locks and the session of `a`.
    void destroy_handles() override;
    void conclude() override;

private:
    void look() override;
    void check_row(const char* when);
    void check_counters(const actor& who);
    void take_by_a_third();
    void close_all();

    error_code told_;  ///< to the third, at the end
};

}  // namespace dynalease::simulation::locks
