// A session that was lost begins a new life: what goes on in it, and what has ended with the old one.
// SPDX-License-Identifier: BSL-1.0
#include "unit/session/session_steps.hpp"

#include <dynalease/queue.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <catch2/catch.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

/// One process that holds a lock, and loses its session.
struct one_loss {
    explicit one_loss(session_options options = {.table = table}) : a(w, 1, {}, std::move(options)) {
        run(w, a, take(a, "x", guard));
        former = a.session->id();
    }
    void lose() {
        a.network->set_plan(silence());
        w.scheduler.run_for(30s);
        REQUIRE(guard.state() == guard_state::lost);
    }
    void mend() { a.network->set_plan({}); }

    world w;
    node a;
    lock_guard guard;
    std::string former;
};

}  // namespace

TEST_CASE("after a loss a session begins a new life, with another identity") {
    one_loss in;
    CHECK(in.a.session->lives() == 1);
    in.lose();
    in.mend();
    CHECK(in.a.session->lives() == 2);
    CHECK(in.a.session->state() == session_state::idle);
    CHECK(in.a.session->counters().lives_lost == 1);
    CHECK(in.a.session->id() != in.former);
    in.a.network->clear_log();
    in.w.scheduler.run_for(1h);
    CHECK(in.a.network->log().empty());

    lock_guard again;
    run(in.w, in.a, take(in.a, "x", again));
    CHECK(again.held());
    CHECK(in.a.session->state() == session_state::live);
    CHECK(in.a.session->lives() == 2);
    CHECK(in.w.row("lock#x").at("holder") == attribute_value(in.a.session->id()));
}

TEST_CASE("guards of a life that is over stay lost, whatever comes after") {
    one_loss in;
    in.lose();
    in.mend();
    lock_guard again;
    run(in.w, in.a, take(in.a, "x", again));
    in.w.scheduler.run_for(1min);
    CHECK_FALSE(in.guard.held());
    CHECK(in.guard.state() == guard_state::lost);
    CHECK(again.fencing_token() > in.guard.fencing_token());
    error_code told;
    run(in.w, in.a, release_told(in.guard, told));
    CHECK(told == errc::session_lost);
    CHECK(again.held());
    CHECK(in.a.session->counters().leases_held == 1);
}

TEST_CASE("a new life frees at once what the former one held") {
    one_loss in;
    in.lose();
    in.mend();
    lock_guard again;
    const auto began = in.w.scheduler.now();
    run(in.w, in.a, take(in.a, "x", again));
    CHECK(in.w.scheduler.now() - began < 1s);
    CHECK(in.w.row("session#" + in.former).at("state") == attribute_value("closed"));
}

TEST_CASE("a row of a former life that may not be closed at first is closed with the session, or told of") {
    const bool for_ever = GENERATE(false, true);
    one_loss in;
    in.lose();
    const auto refuses = [&](const any_request& sent, const call_options&) {
        const auto* write = std::get_if<update_item_request>(&sent);
        const bool meant = write && write->key.at("pk") == attribute_value("session#" + in.former);
        return meant ? testing::fault{.what = testing::fault::kind::fail, .answer = failure(errc::access_denied)}
                     : testing::fault{};
    };
    in.a.network->set_plan(refuses);
    lock_guard again;
    run(in.w, in.a, take(in.a, "y", again));
    in.w.scheduler.run_for(60s);
    const auto state = [&] { return in.w.row("session#" + in.former).at("state"); };
    REQUIRE(state() == attribute_value("alive"));
    if (!for_ever) in.mend();
    close_report report;
    const auto began = in.w.scheduler.now();
    run(in.w, in.a, close(in.a, {}, report));
    CHECK(report.row == (for_ever ? make_error_code(errc::session_lost) : error_code()));
    CHECK(state() == attribute_value(for_ever ? "alive" : "closed"));
    CHECK(in.w.scheduler.now() - began < 1s);
}

TEST_CASE("what another has marked dead is not closed as well") {
    one_loss in;
    in.w.apply(update_item_request{.table_name = table,
                                   .key = {{"pk", "session#" + in.former}, {"sk", "-"}},
                                   .update_expression = "SET #s = :dead",
                                   .names = {{"#s", "state"}},
                                   .values = {{":dead", "dead"}}});
    in.w.scheduler.run_for(3s);
    CHECK(in.guard.state() == guard_state::lost);
    in.a.network->clear_log();
    lock_guard again;
    run(in.w, in.a, take(in.a, "x", again));
    CHECK(in.w.row("session#" + in.former).at("state") == attribute_value("dead"));
    CHECK(in.a.requests("session#" + in.former) == 1);  // a look
}

TEST_CASE("who waits goes on in the next life, behind those who waited already") {
    world w;
    node a(w, 1);
    node b(w, 2);
    lock_guard held;
    lock_guard first;
    lock_guard second;
    run(w, b, take(b, "x", held));
    running waits(w, a, take(a, "x", first));
    w.scheduler.run_for(2s);
    const auto former = a.session->id();
    REQUIRE(w.row("lock#x").at("line") == attribute_value(attribute_list{former}));
    a.network->set_plan(silence());
    w.scheduler.run_for(20s);
    CHECK_FALSE(waits.done());
    a.network->set_plan({});
    w.scheduler.run_for(5s);
    CHECK(a.session->lives() == 2);
    CHECK(a.session->state() == session_state::live);
    CHECK(w.row("lock#x").at("line") == attribute_value(attribute_list{former, a.session->id()}));
    run(w, b, give_back(held));
    waits.wait(5s);
    CHECK(first.held());
}

TEST_CASE("a waiter has a new ticket in the next life") {
    world w;
    node a(w, 1);
    node b(w, 2);
    queue_turn held;
    queue_turn turn;
    queue_turn also;
    run(w, b, enter(queue{*b.session, "x"}, held));
    running waits(w, a, enter(queue{*a.session, "x"}, turn));
    w.scheduler.run_for(2s);
    a.network->set_plan(silence());
    w.scheduler.run_for(5s);
    running behind(w, b, enter(queue{*b.session, "x"}, also));
    w.scheduler.run_for(10s);
    a.network->set_plan({});
    w.scheduler.run_for(3s);
    REQUIRE(a.session->lives() == 2);
    CHECK_FALSE(waits.done());
    run(w, b, leave(held));
    behind.wait(30s);
    CHECK(also.held());
    CHECK_FALSE(waits.done());
    run(w, b, leave(also));
    waits.wait(30s);
    CHECK(turn.held());
    CHECK(turn.ticket() > also.ticket());
}

TEST_CASE("acquire rides out an outage within its wait") {
    for (const auto& outage : {all_meet(nobody_there()), silence()}) {
        one_loss in;
        in.a.network->set_plan(outage);
        in.w.scheduler.run_for(30s);
        lock_guard patient;
        lock_guard hasty;
        error_code told;
        running waits(in.w, in.a, take(in.a, "x", patient));
        const auto began = in.w.scheduler.now();
        run(in.w, in.a, take_told(lock{*in.a.session, "x"}, {.wait = 20s}, hasty, told));
        CHECK(in.w.scheduler.now() - began == 20s);
        CHECK(told == condition::unreachable);
        in.w.scheduler.run_for(1min);
        CHECK_FALSE(waits.done());
        in.mend();
        waits.wait(10s);
        CHECK(patient.held());
    }
}

TEST_CASE("the first lease of all waits for the service as long as its caller says, and no longer") {
    world w;
    node a(w);
    a.network->set_plan(all_meet(nobody_there()));
    lock_guard guard;
    error_code told;
    run(w, a, take_told(lock{*a.session, "x"}, {}, guard, told), 1s);
    CHECK(told == errc::unreachable);
    error_code told_a_try;
    running waits(w, a, take_told(lock{*a.session, "x"}, {.wait = 1min}, guard, told));
    w.scheduler.run_for(10s);
    run(w, a, try_told(lock{*a.session, "y"}, guard, told_a_try), 2s);
    CHECK(told_a_try == errc::unreachable);
    CHECK_FALSE(waits.done());
    a.network->set_plan({});
    waits.wait(2s);
    CHECK_FALSE(told);
    CHECK(guard.held());
    CHECK(a.session->lives() == 1);
}

TEST_CASE("what may not be done is told at once, however long a caller would wait") {
    world w;
    node a(w);
    a.network->set_plan([](const any_request&, const call_options&) {
        return testing::fault{.what = testing::fault::kind::fail,
                              .answer = failure(errc::access_denied, outcome::not_applied)};
    });
    lock_guard guard;
    error_code told;
    run(w, a, take_told(lock{*a.session, "x"}, {.wait = 1h}, guard, told), 1s);
    CHECK(told == errc::access_denied);
}

TEST_CASE("a session that is to stay lost does") {
    one_loss in({.table = table, .begins_anew = false});
    in.lose();
    in.mend();
    CHECK(in.a.session->state() == session_state::lost);
    CHECK(in.a.session->lives() == 1);
    lock_guard again;
    error_code told;
    run(in.w, in.a, take_told(lock{*in.a.session, "x"}, {}, again, told));
    CHECK(told == errc::session_lost);
}

TEST_CASE("over tells of the end of all lives") {
    one_loss in;
    std::optional<error_code> over;
    in.a.session->over([&over](error_code code) { over = code; });
    in.lose();
    in.mend();
    CHECK_FALSE(over);
    lock_guard again;
    run(in.w, in.a, take(in.a, "x", again));
    CHECK_FALSE(over);
    in.a.session->close([](error_code, const close_report&) {});
    in.w.scheduler.run_for(1s);
    REQUIRE(over);
    CHECK_FALSE(*over);
    CHECK(again.state() == guard_state::released);
    CHECK_FALSE(find(in.w.row("lock#x"), "holder"));
}

TEST_CASE("a process that slept finds itself in a new life with its first call") {
    const auto how = GENERATE(testing::dispatching::posts, testing::dispatching::runs_inline);
    world w;
    node a(w, 1, {}, {.table = table}, how);
    lock_guard guard;
    lock_guard again;
    run(w, a, take(a, "x", guard));
    a.process->pause();
    w.scheduler.run_for(1min);
    running waits(w, a, take(a, "x", again));
    a.process->resume();
    waits.wait(1s);
    CHECK(again.held());
    CHECK(guard.state() == guard_state::lost);
    CHECK(a.session->lives() == 2);
}

TEST_CASE("the log tells of each life") {
    std::vector<std::string> lines;
    session_options options{.table = table};
    options.log = [&lines](severity, std::string_view line) { lines.emplace_back(line); };
    one_loss in(std::move(options));
    in.lose();
    in.mend();
    lock_guard again;
    run(in.w, in.a, take(in.a, "x", again));
    const auto told = [&](const std::string& what) {
        return std::ranges::any_of(lines, [&](const auto& line) { return line.find(what) != std::string::npos; });
    };
    const auto owner = " of " + in.a.session->options().owner;
    CHECK(told(in.former + owner + ": lost: no heartbeat was acknowledged for 9975 ms; of "));
    CHECK(told("it had no answer; with the next lease it begins anew"));
    CHECK(told(in.a.session->id() + owner + ": live again, life 2"));
}

TEST_CASE("who waits is carried from life to life by a handle that was made in the first") {
    world w;
    node a(w, 1);
    node b(w, 2);
    lock_guard held;
    lock_guard got;
    run(w, b, take(b, "x", held));
    lock handle{*a.session, "x"};
    running waits(w, a, take(handle, got));
    w.scheduler.run_for(5s);
    for (std::uint64_t life = 2; life <= 4; ++life) {
        a.process->pause();
        w.scheduler.run_for(1min);
        a.process->resume();
        w.scheduler.run_for(5s);
        CHECK(a.session->lives() == life);
        CHECK_FALSE(waits.done());
    }
    run(w, b, give_back(held));
    waits.wait(30s);
    CHECK(got.held());
}

TEST_CASE("a cancellation that comes with the loss ends the wait for the session's end") {
    asio::cancellation_signal stop;
    session_options told{.table = table};
    told.log = [&](severity how, std::string_view) {
        if (how == severity::error) stop.emit(asio::cancellation_type::terminal);
    };
    one_loss in(told);
    std::optional<error_code> over;
    in.a.session->over(asio::bind_cancellation_slot(stop.slot(), [&](error_code code) { over = code; }));
    in.w.scheduler.run_for(1s);
    in.lose();
    CHECK(over == make_error_code(errc::cancelled));
}

TEST_CASE("a session whose client was closed between two lives is lost for good") {
    one_loss in;
    in.lose();
    in.a.network->set_plan([](const any_request&, const call_options&) {
        return testing::fault{.what = testing::fault::kind::fail, .answer = failure(errc::shut_down)};
    });
    std::optional<error_code> over;
    in.a.session->over([&](error_code code) { over = code; });
    lock_guard got;
    running waits(in.w, in.a, take(in.a, "x", got));
    CHECK_THROWS_AS(waits.wait(30s), error);
    in.w.scheduler.run_for(1s);
    CHECK(in.a.session->state() == session_state::lost);
    CHECK(over == make_error_code(errc::session_lost));
}

TEST_CASE("nothing is sent any more once a session was closed while it tried to open") {
    one_loss in;
    in.lose();
    in.a.network->set_plan(all_meet(nobody_there()));
    lock_guard got;
    error_code told;
    lock handle{*in.a.session, "x"};
    running waits(in.w, in.a, take_told(handle, {.wait = 10min}, got, told));
    in.w.scheduler.run_for(10s);
    run(in.w, in.a, [](session& closes) -> asio::awaitable<void> {
        const close_options soon{.timeout = 200ms};
        co_await closes.close(soon);
    }(*in.a.session));
    CHECK(waits.done());
    CHECK(told == errc::session_closed);
    in.mend();
    const auto before = in.a.network->log().size();
    in.w.scheduler.run_for(1min);
    CHECK(in.a.network->log().size() == before);
}
