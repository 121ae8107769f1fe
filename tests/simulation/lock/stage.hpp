// A small world for one operation that is disturbed at one point: who is on it, and what must hold at its end.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/session_stage.hpp"

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

struct actor : session_actor {
    using session_actor::session_actor;

    dynalease::lock lock() { return dynalease::lock(*session, "x"); }

    lock_guard guard;  ///< what it has, or got
};

class stage final : public session_stage<actor> {
public:
    using actor = locks::actor;

    lock_guard second;  ///< of `a`, when two in it want the lock

    // ---- settings ----
    /// The world goes on until `who` holds the lock.
    void hold(actor& who);
    /// ... until its session is live, and the lock known to it and free.
    void warm_up(actor& who);

    /// Guards, locks and the session of `a`.
    void destroy_handles() override;
    void conclude() override;

private:
    void look() override;
    void check_row(const char* when);
    void take_by_a_third();

    error_code told_;  ///< to the third, at the end
};

}  // namespace dynalease::simulation::locks
