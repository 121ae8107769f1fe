// Who asked for it is told of each change of a session's state.
// SPDX-License-Identifier: BSL-1.0
#include "unit/session/session_steps.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace dynalease;
using namespace dynalease::tests;

TEST_CASE("whoever asked for it is told when a session is in jeopardy, when that has passed, and of its end") {
    using enum session_state;
    std::vector<session_state> told;
    lock_guard guard;
    guard_state then = guard_state::empty;
    session_options options{.table = table};
    options.on_state = [&](session_state now) {
        told.push_back(now);
        then = guard.state();
    };
    world w;
    node a(w, 1, {}, std::move(options));
    run(w, a, take(a, "x", guard));
    CHECK(told == std::vector{live});
    w.scheduler.run_for(20s);
    CHECK(told == std::vector{live});

    a.network->set_plan(silence());
    w.scheduler.run_for(7s);
    CHECK(told == std::vector{live, jeopardy});
    CHECK(then == guard_state::jeopardy);
    a.network->set_plan({});
    w.scheduler.run_for(3s);
    CHECK(told == std::vector{live, jeopardy, live});
    CHECK(then == guard_state::held);

    told.clear();
    a.network->set_plan(silence());
    w.scheduler.run_for(30s);
    CHECK(told == std::vector{jeopardy, lost});
    CHECK(then == guard_state::lost);

    told.clear();
    a.network->set_plan({});
    run(w, a, take(a, "y", guard));
    run(w, a, close(a));
    CHECK(told == std::vector{live, closed});
}

TEST_CASE("a session that opens late is told as what it is, and one that closes as closed alone") {
    using enum session_state;
    std::vector<session_state> told;
    lock_guard guard;
    session_options options{.table = table};
    options.on_state = [&](session_state now) { told.push_back(now); };
    world w;
    node a(w, 1, {}, std::move(options));
    a.network->set_plan(all_meet({testing::fault::kind::lose_answer}));
    acquire_options patience;
    patience.wait = 1min;
    running taking(w, a, take(lock{*a.session, "x"}, guard, patience));
    w.scheduler.run_for(4700ms);
    // One answer, and silence after it.
    auto left = std::make_shared<int>(1);
    a.network->set_plan([left](const any_request&, const call_options&) {
        return *left > 0 && (*left)-- > 0 ? testing::fault{} : testing::fault{testing::fault::kind::lose_request};
    });
    while (told.empty() && w.scheduler.step()) {
    }
    w.scheduler.run_for(1s);
    REQUIRE(a.session->state() == jeopardy);
    CHECK(told == std::vector{jeopardy});

    run(w, a, close(a));
    CHECK(told == std::vector{jeopardy, closed});
}
