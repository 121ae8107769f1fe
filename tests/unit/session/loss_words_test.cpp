// Why a lock was lost: told by the log, and by the diagnostics of whoever asks afterwards.
// SPDX-License-Identifier: BSL-1.0
#include "unit/session/losses.hpp"

#include <catch2/catch.hpp>

#include <optional>
#include <string>
#include <string_view>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

using testing::fault;
using kind = testing::fault::kind;

}  // namespace

TEST_CASE("a loss by heartbeats that fail says since when, how many, and how the last one failed") {
    loser in;
    in.w.scheduler.run_for(1s);
    auto slow = throttling();
    slow.answer.details.message = "Rate exceeded";
    in.a.network->set_plan(all_meet(slow));
    in.w.scheduler.run_for(12s);
    CHECK(in.logged("lost: no heartbeat was acknowledged for 9975 ms; of "));
    CHECK(in.logged(" that were sent the last failed "));
    in.expect(errc::session_lost, "Rate exceeded");
}

TEST_CASE("a loss by heartbeats without an answer says so") {
    loser in;
    in.a.network->set_plan(silence());
    in.w.scheduler.run_for(12s);
    in.expect(errc::session_lost, "it had no answer");
}

TEST_CASE("a loss by a process that stood still says so") {
    loser in;
    in.w.scheduler.run_for(1s);
    in.a.process->pause();
    in.w.scheduler.run_for(30s);
    in.a.process->resume();
    in.w.scheduler.run_for(1s);
    CHECK(in.logged("and none was sent"));
    CHECK_FALSE(in.logged("unanswered"));
    const auto seen = in.a.session->counters();
    CHECK(seen.worst_heartbeat_delay > 25s);
    CHECK(seen.heartbeat_delays.count() == 1);
    in.expect(errc::session_lost, "stood still for at least 2");
}

TEST_CASE("who is in jeopardy for having stood still does not blame the service") {
    loser in;
    in.w.scheduler.run_for(1s);
    in.a.process->pause();
    in.w.scheduler.run_for(8s);
    in.a.process->resume();
    in.w.scheduler.run_for(1s);
    CHECK(in.guard.held());
    CHECK(in.logged("in jeopardy: no heartbeat was acknowledged for "));
    CHECK(in.logged("stood still for at least "));
    CHECK_FALSE(in.logged("unanswered"));
}

TEST_CASE("a loss by a mark says by whom") {
    loser in;
    edit(in.w, "session#" + in.a.session->id(), "by", "R2D2");
    edit(in.w, "session#" + in.a.session->id(), "state", "dead");
    in.w.scheduler.run_for(3s);
    in.expect(errc::session_lost, "marked dead by session R2D2");
}

TEST_CASE("a loss by a row that was deleted, closed or edited says which") {
    loser in;
    const auto key = "session#" + in.a.session->id();
    SECTION("deleted") {
        remove_row(in.w, key);
        in.w.scheduler.run_for(3s);
        in.expect(errc::session_lost, "the session's row is gone: somebody deleted it");
    }
    SECTION("closed") {
        edit(in.w, key, "state", "closed");
        in.w.scheduler.run_for(3s);
        in.expect(errc::session_lost, "another has closed the session's row");
    }
    SECTION("edited") {
        edit(in.w, key, "lease", "ten");
        edit(in.w, key, "beat", 1000);
        in.w.scheduler.run_for(3s);
        in.expect(errc::session_lost, "the session's row was edited: attribute 'lease'");
    }
}

TEST_CASE("a loss of one lock says what its row shows") {
    loser in;
    SECTION("another has it") {
        edit(in.w, "lock#x", "holder", "R2D2");
        edit(in.w, "lock#x", "token", in.guard.fencing_token() + 1);
        run(in.w, in.a, in.release());
        CHECK(in.told.message.find("its row names session R2D2") != std::string::npos);
        CHECK(in.logged("lock 'x' was lost before it was given back: its row names session R2D2"));
    }
    SECTION("it was deleted") {
        remove_row(in.w, "lock#x");
        run(in.w, in.a, in.release());
        CHECK(in.told.message.find("its row is gone") != std::string::npos);
    }
    CHECK(in.code == errc::lock_lost);
}

TEST_CASE("who waits for the end of a session that is lost for good is told why") {
    world w;
    node a(w, 1, {}, {.table = table, .begins_anew = false});
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    a.network->set_plan(silence());
    struct over {
        static asio::awaitable<void> run(const session& of, diagnostics& told) {
            auto [code] = co_await of.over(told, as_tuple);
            CHECK(code == errc::session_lost);
        }
    };
    diagnostics told;
    run(w, a, over::run(*a.session, told));
    CHECK(told.message.find("no heartbeat was acknowledged") != std::string::npos);
    std::optional<error> later;
    run(w, a, tell(a, 1s, later));
    REQUIRE(later);
    CHECK(later->diagnostics().message.find("no heartbeat was acknowledged") != std::string::npos);
}
