// How late heartbeats leave, and how long their answers take, as the session counts them.
// SPDX-License-Identifier: BSL-1.0
#include "unit/session/session_steps.hpp"

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

TEST_CASE("each heartbeat is counted by how late it left, and each answer by how long it took") {
    world w;
    node a(w);
    a.network->set_plan(latency(20ms));
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    w.scheduler.run_for(11s);
    const auto calm = a.session->counters();
    CHECK(calm.heartbeats_acknowledged == 4);
    CHECK(calm.heartbeat_delays.count() == 4);
    CHECK(calm.heartbeat_delays.sum() < 1ms);
    CHECK(calm.heartbeat_answers.count() == 4);
    CHECK(calm.heartbeat_answers.sum() >= 160ms);
    CHECK(calm.heartbeat_answers.sum() < 161ms);

    // The process stands still when a heartbeat is due.
    a.process->pause();
    w.scheduler.run_for(4s);
    a.process->resume();
    w.scheduler.run_for(1s);
    const auto late = a.session->counters();
    CHECK(late.heartbeat_delays.count() == 5);
    CHECK(late.heartbeat_delays.sum() > 1s);
    CHECK(late.heartbeat_delays.sum() == late.worst_heartbeat_delay + calm.heartbeat_delays.sum());

    // What has no answer has no time of one.
    a.network->set_plan(silence());
    w.scheduler.run_for(4s);
    const auto silent = a.session->counters();
    CHECK(silent.heartbeats_unanswered >= 1);
    CHECK(silent.heartbeat_answers.count() == late.heartbeat_answers.count());
    CHECK(silent.heartbeat_delays.count() > late.heartbeat_delays.count());
}
