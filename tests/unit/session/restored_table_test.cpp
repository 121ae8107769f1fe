// What becomes of a session whose table goes back to a backup.
// SPDX-License-Identifier: BSL-1.0
#include "unit/session/session_steps.hpp"

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

TEST_CASE("where the table goes back to a backup a life ends with its next heartbeat, and its row with the next life") {
    world w;
    node a(w, 1);
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    const auto former = a.session->id();
    const auto backup = w.simulated.image(table);
    w.scheduler.run_for(5s);
    w.simulated.restore(table, backup);
    w.scheduler.run_for(2600ms);
    CHECK(guard.state() == guard_state::lost);
    error_code told;
    run(w, a, release_told(guard, told));
    CHECK(told == errc::session_lost);
    lock_guard again;
    const auto began = w.scheduler.now();
    run(w, a, take(a, "x", again));
    CHECK(w.scheduler.now() - began < 1s);  // nobody waits for the life that is over
    CHECK(a.session->lives() == 2);
    w.scheduler.run_for(1min);
    CHECK(again.held());
    CHECK(w.row("session#" + former).at("state") == attribute_value("closed"));
}

TEST_CASE("a backup that is no older than the last heartbeat ends no life") {
    world w;
    node a(w, 1);
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    w.simulated.restore(table, w.simulated.image(table));
    w.scheduler.run_for(1min);
    CHECK(guard.held());
}
