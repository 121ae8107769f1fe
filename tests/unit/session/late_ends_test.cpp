// Answers to a release that come late: after the session's end, or while it closes.
// SPDX-License-Identifier: BSL-1.0
#include "unit/session/session_steps.hpp"

#include <catch2/catch.hpp>

#include <string_view>
#include <utility>

using namespace dynalease;
using namespace dynalease::tests;
using testing::fault;
using kind = testing::fault::kind;

namespace {

bool writes_to(const any_request& request, std::string_view row) {
    const auto* write = std::get_if<update_item_request>(&request);
    return write != nullptr && *find_string(write->key, "pk") == row;
}

/// Writes to the row are refused by what it shows, after a copy that had no answer; heartbeats have none.
testing::fault_plan refused_late(std::string_view row, item shown) {
    failure refusal(errc::condition_failed, outcome::unknown);
    refusal.current = std::move(shown);
    return [row, refusal = std::move(refusal)](const any_request& request, const call_options&) {
        if (writes_to(request, row)) return fault{.what = kind::fail, .after = 200ms, .answer = refusal};
        return fault{kind::lose_request};
    };
}

/// Until 300 ms before the lease is over of a session that was opened just now.
void spend_the_lease(world& w, node& a) {
    w.scheduler.run_for(2s);  // before the first heartbeat; a turn is written down by then
    a.network->set_plan(silence());
    w.scheduler.run_for(7700ms);
    REQUIRE(a.session->state() == session_state::jeopardy);
}

/// The answers come in time, and are read when the lease is over: the loop was busy.
void read_late(world& w, node& a, running& ends) {
    w.scheduler.run_for(100ms);
    a.process->pause();
    w.scheduler.run_for(1s);
    a.process->resume();
    ends.wait();
}

asio::awaitable<void> leave_told(queue_turn& turn, error_code& told) {
    auto done = co_await turn.leave(as_tuple);
    told = std::get<0>(done);
}

}  // namespace

TEST_CASE("a release that is refused after the lease, with a copy unanswered, is in doubt, for others may have it") {
    const bool free = GENERATE(false, true);
    world w;
    node a(w);
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    auto shown = w.row("lock#x");
    spend_the_lease(w, a);
    for (const auto* mark : {"holder", "attempt"}) shown.erase(mark);
    // Somebody had it since; or nobody, and what has freed it was our copy.
    if (!free) shown.insert_or_assign("floor", *find_integer(shown, "floor") + 1);
    if (!free) shown.insert_or_assign("token", *find_integer(shown, "token") + 1);
    a.network->set_plan(refused_late("lock#x", std::move(shown)));
    error_code told;
    running ends(w, a, release_told(guard, told));
    read_late(w, a, ends);
    CHECK(told == (free ? error_code() : make_error_code(errc::in_doubt)));
    CHECK(a.session->counters().released == (free ? 1 : 0));
    CHECK(a.session->counters().unknown_applied == (free ? 1 : 0));
}

TEST_CASE(
    "a leave that is refused after the lease, with a copy unanswered, is in doubt, for others may have passed it") {
    world w;
    node a(w);
    queue_turn turn;
    run(w, a, enter(queue{*a.session, "x"}, turn));
    auto shown = *w.simulated.row(table, "queue#x", "/");
    spend_the_lease(w, a);
    shown.insert_or_assign("passed", turn.ticket());
    a.network->set_plan(refused_late("queue#x", std::move(shown)));
    error_code told;
    running ends(w, a, leave_told(turn, told));
    read_late(w, a, ends);
    CHECK(told == errc::in_doubt);
    CHECK(a.session->counters().released == 0);
}

TEST_CASE("a guard that was told in doubt, and is given back while the session's row is closed, is released alone") {
    world w;
    node a(w);
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    a.network->set_plan(lock_writes_meet({{.what = kind::lose_request}}));
    error_code told;
    run(w, a, release_told(guard, told));
    REQUIRE(told == errc::in_doubt);
    guard = {};
    // Of four seconds for closing three are for what is held; answered is its release after that, before the row is.
    const auto answered = w.scheduler.now() + 3300ms;
    a.network->set_plan([&](const any_request& request, const call_options&) {
        const auto left = answered - w.scheduler.now();
        if (!writes_to(request, "lock#x")) return fault{.after = 700ms};
        return left < 900ms ? fault{.after = left} : nobody_there();
    });
    close_report report;
    run(w, a, close(a, {.timeout = 4s}, report));
    CHECK(w.scheduler.now() > answered);
    CHECK_FALSE(find(w.row("lock#x"), "holder"));
    CHECK(report.released == 1);
    CHECK(report.failed.empty());
    CHECK_FALSE(report.row);
}

TEST_CASE(
    "a hand-over whose answer is read after the lease is told by what it says, though the next caller has it not") {
    enum class answered { well, refused_after_it, never };
    const auto how = GENERATE(answered::well, answered::refused_after_it, answered::never);
    world w;
    node a(w);
    const lock target{*a.session, "x"};
    lock_guard guard;
    lock_guard none;
    error_code waited;
    run(w, a, take(target, guard));
    running waits(w, a, take_told(target, {.wait = 20s}, none, waited));
    spend_the_lease(w, a);
    auto taken = w.row("lock#x");
    taken.insert_or_assign("floor", *find_integer(taken, "floor") + 1'000'000);
    taken.insert_or_assign("token", *find_integer(taken, "token") + 1'000'000);
    taken.insert_or_assign("holder", "another");
    failure refusal(errc::condition_failed, outcome::unknown);
    refusal.current = std::move(taken);
    a.network->set_plan([&](const any_request& request, const call_options&) {
        if (!writes_to(request, "lock#x")) return fault{kind::lose_request};
        if (how == answered::never) return fault{kind::lose_answer};
        if (how == answered::well) return fault{.after = 200ms};
        return fault{.what = kind::fail, .after = 200ms, .answer = refusal};
    });
    error_code told;
    running ends(w, a, release_told(guard, told));
    read_late(w, a, ends);
    CHECK(told == (how == answered::well ? error_code() : make_error_code(errc::in_doubt)));
    const auto seen = a.session->counters();
    CHECK(seen.hand_overs == 0);
    CHECK(seen.released == (how == answered::well ? 1 : 0));
    CHECK(seen.lost == 0);
    CHECK(seen.unknown_void == 0);
    CHECK_FALSE(none);
}

TEST_CASE("a close that gives nothing back waits for no release of a former life, either") {
    world w;
    node a(w);
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    spend_the_lease(w, a);
    error_code told;
    running ends(w, a, release_told(guard, told));
    w.scheduler.run_for(400ms);
    REQUIRE(a.session->state() == session_state::idle);  // the next life
    close_report report;
    const auto began = w.scheduler.now();
    run(w, a, close(a, {.release = false, .timeout = 4s}, report));
    CHECK(w.scheduler.now() == began);
    CHECK(report.released == 0);
    ends.wait();
    CHECK(told == errc::in_doubt);
}
