// A session that an operator ends while its process lives.
// SPDX-License-Identifier: BSL-1.0
#include "unit/session/losses.hpp"

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

asio::awaitable<void> revoke(node& by, revoke_session_options what, std::optional<bool>& lived) {
    lived = co_await revoke_session(database(by.network), std::move(what));
}

/// What an operator, who has no session, is told.
std::optional<bool> revoked(world& w, revoke_session_options what) {
    node desk(w, 99);
    std::optional<bool> lived;
    run(w, desk, revoke(desk, std::move(what), lived));
    CHECK(desk.network->log().size() == 1);
    return lived;
}

revoke_session_options of(const std::string& id) {
    return {.table = table, .session = id, .by = "alice, INC-7"};
}

error_code refusal_of(world& w, revoke_session_options what, std::string_view words) {
    node desk(w, 98);
    error_code told;
    const auto ask = [&]() -> asio::awaitable<void> {
        diagnostics why;
        auto [code, lived] = co_await revoke_session(database(desk.network), what, why, as_tuple);
        INFO(why.message);
        CHECK(why.operation.starts_with("revoke_session"));
        CHECK(why.message.find(words) != std::string::npos);
        CHECK_FALSE(lived);
        told = code;
    };
    run(w, desk, ask());
    return told;
}

}  // namespace

TEST_CASE("a session that is revoked is told by whom with its next heartbeat, and lives on in another life") {
    loser it;
    const auto former = it.a.session->id();
    CHECK(revoked(it.w, of(former)) == true);
    CHECK(it.guard.held());
    it.w.scheduler.run_for(2600ms);
    CHECK(it.guard.state() == guard_state::lost);
    it.expect(errc::session_lost, "revoked by alice, INC-7");
    lock_guard again;
    const auto began = it.w.scheduler.now();
    run(it.w, it.a, take(it.a, "x", again));
    // Work of the former life may take as long to end.
    CHECK(it.w.scheduler.now() - began > 10s);
    CHECK(it.w.scheduler.now() - began < 13s);
    CHECK(it.a.session->lives() == 2);
    it.w.scheduler.run_for(1min);
    CHECK(again.held());
    CHECK(it.w.row("session#" + former).at("state") == attribute_value("dead"));
}

TEST_CASE("what a revoked session holds another has a lease later, and no sooner, though its process hears nothing") {
    const bool hears = GENERATE(true, false);
    loser it;
    node b(it.w, 2);
    lock_guard next;
    running waits(it.w, b, take(b, "x", next));
    it.w.scheduler.run_for(20s);
    const auto former = it.a.session->id();
    if (!hears) it.a.network->set_plan(silence());
    CHECK(revoked(it.w, of(former)) == true);
    const auto began = it.w.scheduler.now();
    while (!waits.done() && it.w.scheduler.now() < began + 1min) {
        REQUIRE_FALSE((it.guard.held() && next.held()));
        it.w.scheduler.step();
    }
    REQUIRE(waits.done());
    const auto took = it.w.scheduler.now() - began;
    CHECK(took >= 10s);
    CHECK(took < 13s);
    CHECK(it.w.row("session#" + former).at("state") == attribute_value("dead"));
}

TEST_CASE("who revokes a session that is over is told so") {
    loser it;
    const auto id = it.a.session->id();
    CHECK(revoked(it.w, of("AAAAAAAAAAAAAAAAAAAAAA")) == false);
    CHECK(revoked(it.w, of(id)) == true);
    CHECK(revoked(it.w, of(id)) == true);  // nobody has seen yet that it is over
    node b(it.w, 2);
    lock_guard guard;
    run(it.w, b, take(b, "y", guard));
    const auto closed = b.session->id();
    run(it.w, b, close(b));
    CHECK(revoked(it.w, of(closed)) == false);
}

TEST_CASE("who revokes a session by a write whose answer is lost is told that it lived, though it is over by then") {
    loser it;
    node desk(it.w, 97);
    // The second copy comes when the session's process has learnt of the first, and has been marked dead.
    desk.network->set_plan(testing::scripted_faults({{.what = testing::fault::kind::lose_answer, .again = 100ms}}));
    std::optional<bool> lived;
    running asks(it.w, desk, revoke(desk, of(it.a.session->id()), lived));
    while (it.w.row("session#" + it.a.session->id()).contains("by") == false) REQUIRE(it.w.scheduler.step());
    edit(it.w, "session#" + it.a.session->id(), "state", "dead");
    asks.wait();
    CHECK(lived == true);
}

TEST_CASE("a session that cannot be revoked is told of, and nothing is written") {
    loser it;
    auto what = of(it.a.session->id());
    what.by = "";
    CHECK(refusal_of(it.w, what, "by must have 1 to 256 bytes") == errc::invalid_option);
    what.by = std::string(257, 'a');
    CHECK(refusal_of(it.w, what, "by must have 1 to 256 bytes") == errc::invalid_option);
    what.by = "\xff";
    CHECK(refusal_of(it.w, what, "UTF-8") == errc::invalid_option);
    CHECK(refusal_of(it.w, of(""), "session is empty") == errc::invalid_option);
    CHECK(refusal_of(it.w, of("~AAAAAAAAAAAAAAAAAAAAAA~30000"), "a plain session has no row") == errc::invalid_option);
    what = of(it.a.session->id());
    what.table = "a b";
    CHECK(refusal_of(it.w, what, "") == errc::invalid_name);
    it.w.apply(create_table_request{.table_name = "foreign", .key = {.hash = {.name = "id"}}});
    what.table = "foreign";
    CHECK(refusal_of(it.w, what, "has the key id (S)") == errc::validation);
    CHECK(it.guard.held());
    edit(it.w, "session#" + it.a.session->id(), "v", 2);
    edit(it.w, "session#" + it.a.session->id(), "state", "dead");
    CHECK(refusal_of(it.w, of(it.a.session->id()), "has schema 2") == errc::unsupported_version);
}

TEST_CASE("who asks whether a holder lives is not told so by the holder's revocation") {
    world w;
    node a(w, 1);
    node b(w, 2);
    lock_guard held;
    run(w, a, take(a, "x", held));
    a.process->pause();
    lock_guard taken;
    const running asks(w, b, take(lock{*b.session, "x"}, taken, {.wait = until_known}));
    w.scheduler.run_for(1500ms);
    const auto began = w.scheduler.now();
    CHECK(revoked(w, of(a.session->id())) == true);
    while (!asks.done() && w.scheduler.now() < began + 30s) w.scheduler.run_for(10ms);
    CHECK(taken.held());
    CHECK(w.scheduler.now() - began > 9s);
    held = {};
    a.process->resume();
    w.scheduler.run_for(10s);
}
