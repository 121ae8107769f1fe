// What is told of trouble around a session: while it opens, when it closes, and where a hook of its user fails.
// SPDX-License-Identifier: BSL-1.0
#include "unit/session/session_steps.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

using testing::fault;
using kind = testing::fault::kind;

}  // namespace

// ---- opening -------------------------------------------------------------------------------------------------

TEST_CASE("who tries a session that cannot be opened is told with the first request that fails") {
    // Of what has had no answer it is tried once more whether it stands there.
    const auto silent = GENERATE(false, true);
    const auto fate = silent ? fault{kind::lose_request} : throttling();
    world w;
    node a(w);
    a.network->set_plan(all_meet(fate));
    std::optional<error> told;
    run(w, a, tell(a, 0s, told));
    REQUIRE(told);
    CHECK(told->code() == (silent ? errc::timeout : errc::throttled));
    CHECK(a.network->log().size() == (silent ? 2 : 1));
    CHECK(told->diagnostics().attempts == a.network->log().size());
    CHECK(told->diagnostics().message.find("the session could not be opened") != std::string::npos);
    // It opens as soon as it can.
    a.network->set_plan({});
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    CHECK(guard.held());
}

TEST_CASE("where nobody waits for a session that a try could not open, nothing is sent any more") {
    world w;
    node a(w);
    a.network->set_plan(all_meet(throttling()));
    std::optional<error> told;
    run(w, a, tell(a, 0s, told));
    a.network->clear_log();
    w.scheduler.run_for(1min);
    CHECK(a.network->log().empty());
    CHECK(a.session->state() == session_state::idle);
}

TEST_CASE("who tries a session whose opening is known to be in trouble is told at once, and those who wait go on") {
    world w;
    node a(w);
    a.network->set_plan(all_meet(throttling()));
    std::optional<error> waited;
    running waits(w, a, tell(a, 20s, waited));
    w.scheduler.run_for(3s);
    std::optional<error> tried;
    const auto before = a.network->log().size();
    const auto began = w.scheduler.now();
    run(w, a, tell(a, 0s, tried));
    REQUIRE(tried);
    CHECK(tried->code() == errc::throttled);
    CHECK(tried->diagnostics().attempts == 0);
    CHECK(w.scheduler.now() - began < 1ms);
    CHECK(a.network->log().size() == before);
    a.network->set_plan({});
    waits.wait();
    CHECK_FALSE(waited);
}

// ---- the requests that are counted ---------------------------------------------------------------------------

TEST_CASE("whoever waits for a session to open is told of every request since then, however that ends") {
    world w;
    node a(w);
    std::optional<error> told;
    unsigned sent = 0;
    SECTION("its time is over") {
        a.network->set_plan(all_meet({.before = 10s}));
        run(w, a, tell(a, 500ms, told));
        sent = 1;
    }
    SECTION("the session is closed") {
        a.network->set_plan(all_meet(throttling()));
        running waits(w, a, tell(a, 1min, told));
        w.scheduler.run_for(2500ms);
        close_report report;
        run(w, a, close(a, {}, report));
        waits.wait();
        for (const auto& each : a.network->log()) sent += each->attempts;
        REQUIRE(sent > 1);
    }
    SECTION("it opens, and what it was opened for is refused") {
        a.network->set_plan([&sent](const any_request&, const call_options&) {
            ++sent;
            if (sent <= 3) return throttling();
            return sent == 4 ? fault{} : fault{.what = kind::fail, .answer = failure(errc::access_denied)};
        });
        run(w, a, tell(a, 1min, told));
        CHECK(sent == 5);
    }
    REQUIRE(told);
    CHECK(told->diagnostics().attempts == sent);
}

TEST_CASE("after a loss nobody is told that nothing was asked for yet") {
    world w;
    node a(w);
    node b(w, 2);
    lock_guard other;
    run(w, b, take(b, "x", other));
    std::optional<error> told;
    running waits(w, a, tell(a, 30s, told));
    w.scheduler.run_for(2s);
    REQUIRE(find(w.row("lock#x"), "line"));
    a.network->set_plan(silence());
    waits.wait(1min);
    REQUIRE(told);
    REQUIRE(a.session->lives() == 2);
    INFO(told->diagnostics().message);
    CHECK(told->diagnostics().message.find("the session could not be opened") != std::string::npos);
    CHECK(told->diagnostics().message.find("nothing was asked for yet") == std::string::npos);
}
