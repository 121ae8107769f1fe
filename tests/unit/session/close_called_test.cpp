// What holds from the moment in which a session is told to close, before anything of it has run.
// SPDX-License-Identifier: BSL-1.0
#include "support/lock_steps.hpp"

#include <dynalease/queue.hpp>

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

struct holding : world {
    holding() {
        run(*this, a, take(a, "x", guard));
        run(*this, a, enter(queue{*a.session, "y"}, turn));
    }
    static asio::awaitable<void> enter(queue line, queue_turn& into) { into = co_await line.enter(); }

    node a{*this};
    lock_guard guard;
    queue_turn turn;
};

}  // namespace

TEST_CASE("a session is closed, and its guards are invalid, from the call of close on") {
    holding in;
    REQUIRE((in.guard.held() && in.turn.held()));
    bool closed = false;
    in.a.session->close([&closed](error_code code, const close_report& report) {
        closed = !code && report.released == 2 && report.failed.empty();
    });
    CHECK(in.a.session->state() == session_state::closed);
    CHECK_FALSE(in.guard.held());
    CHECK_FALSE(in.turn.held());
    CHECK(in.guard.state() == guard_state::released);
    in.scheduler.run_for(1s);
    CHECK(closed);
    CHECK(in.a.session->state() == session_state::closed);
    CHECK_FALSE(find(in.row("lock#x"), "holder"));
}

TEST_CASE("guards are invalid from the end of their session on") {
    holding in;
    in.a.session.reset();
    CHECK_FALSE(in.guard.held());
    CHECK(in.guard.state() == guard_state::released);
    CHECK_FALSE(in.turn.held());
    in.scheduler.run_for(1s);
    CHECK_FALSE(find(in.row("lock#x"), "holder"));
}

TEST_CASE("a session that was lost is closed when it is told to, and its guards stay lost") {
    holding in;
    in.a.network->set_plan(
        [](const any_request&, const call_options&) { return testing::fault{testing::fault::kind::lose_request}; });
    in.scheduler.run_for(30s);
    REQUIRE(in.a.session->state() == session_state::idle);
    in.a.session->close([](error_code, const close_report&) {});
    CHECK(in.a.session->state() == session_state::closed);
    CHECK(in.guard.state() == guard_state::lost);
    in.scheduler.run_for(1s);
    CHECK(in.a.session->state() == session_state::closed);
    CHECK(in.guard.state() == guard_state::lost);
}
