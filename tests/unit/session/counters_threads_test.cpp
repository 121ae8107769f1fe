// What a session counts, asked on another thread than the one that counts.
// SPDX-License-Identifier: BSL-1.0
#include "support/lock_steps.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <thread>

using namespace dynalease;
using namespace dynalease::tests;

TEST_CASE("the counters of a session may be asked on any thread, and what only grows is never seen to fall") {
    world w;
    node a(w);
    std::atomic<bool> over{false};
    std::atomic<bool> asked{false};
    std::atomic<bool> fell{false};
    std::thread other([&] {
        session_counters before;
        while (!over) {
            const auto now = a.session->counters();
            if (now.acquired < before.acquired || now.heartbeats_sent < before.heartbeats_sent) fell = true;
            const bool fewer = now.holds.count() < before.holds.count() ||
                               now.waits_granted.count() < before.waits_granted.count() ||
                               now.heartbeat_delays.sum() < before.heartbeat_delays.sum();
            if (fewer) fell = true;
            before = now;
            asked = true;
        }
    });
    for (int i = 0; i < 200 || !asked; ++i) {
        lock_guard guard;
        run(w, a, take(a, "x", guard));
        run(w, a, give_back(guard));
        w.scheduler.run_for(1s);
    }
    over = true;
    other.join();
    CHECK_FALSE(fell);
    CHECK(a.session->counters().acquired >= 200);
    CHECK(a.session->counters().holds.count() == a.session->counters().acquired);
    CHECK(a.session->counters().leases_held == 0);
}
