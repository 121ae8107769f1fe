// How a session comes to life beside its copies, and how its heartbeat meets trouble.
// SPDX-License-Identifier: BSL-1.0
#include "unit/session/session_steps.hpp"

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {
using kind = testing::fault::kind;
}

TEST_CASE("processes that begin as copies of one another are two sessions, whatever answers are lost") {
    // Of the first, then of the second: its creation comes back, is lost, or only its answer is.
    const auto first = GENERATE(kind::pass, kind::lose_request, kind::lose_answer);
    const auto second = GENERATE(kind::pass, kind::lose_request, kind::lose_answer);
    world w;
    node a(w, 7);
    node b(w, 7);
    REQUIRE(a.session->id() == b.session->id());
    a.network->set_plan(testing::scripted_faults({testing::fault{first}}));
    b.network->set_plan(testing::scripted_faults({testing::fault{second}}));
    lock_guard mine;
    run(w, a, take(a, "x", mine));
    w.scheduler.run_for(1ms);
    lock_guard also;
    lock target{*b.session, "x"};
    run(w, b, try_take(target, also));
    CHECK(mine.held());
    CHECK_FALSE(also);
    CHECK(a.session->id() != b.session->id());
}

TEST_CASE("heartbeats that are refused at once are repeated no faster than those without an answer") {
    world w;
    node a(w);
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    const auto before = a.session->counters().heartbeats_sent;
    a.network->set_plan(all_meet(throttling()));
    w.scheduler.run_for(9s);
    const auto sent = a.session->counters().heartbeats_sent - before;
    CHECK(sent >= 5);
    CHECK(sent <= 9);
}

TEST_CASE("a session lives on though the network repeats what it sends") {
    world w;
    node a(w);
    // The answer is that to the copy: the creation and each heartbeat are refused, by their own first copies.
    bool created = false;
    a.network->set_plan([&](const any_request& request, const call_options& options) {
        const bool creates = std::holds_alternative<put_item_request>(request) && !std::exchange(created, true);
        const bool repeated = creates || options.lane == lane::heartbeat;
        return testing::fault{.what = repeated ? kind::answer_copy : kind::pass, .copy = 5ms};
    });
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    w.scheduler.run_for(1min);
    CHECK(guard.held());
    CHECK(a.session->state() == session_state::live);
    CHECK(a.session->counters().heartbeats_acknowledged >= 20);
}
