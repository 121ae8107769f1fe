// What a session counts of its guards agrees with what its hook is told, and with the report of its closing.
// SPDX-License-Identifier: BSL-1.0
#include "support/grant_notes.hpp"
#include "unit/session/session_steps.hpp"

#include <dynalease/queue.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <utility>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

asio::awaitable<void> take_code(lock target, error_code& told) {
    auto done = co_await target.acquire(as_tuple);
    told = std::get<0>(done);
}

asio::awaitable<void> take_with(lock target, std::string who, std::chrono::milliseconds wait, lock_guard& into) {
    acquire_options options{.wait = wait, .data = {{"who", std::move(who)}}};
    auto done = co_await target.acquire(std::move(options), as_tuple);
    into = std::get<1>(std::move(done));
}

asio::awaitable<void> enter_for(queue line, std::chrono::milliseconds wait, error_code& told) {
    auto done = co_await line.enter({.wait = wait}, as_tuple);
    told = std::get<0>(done);
}

/// Of all that is sent from here on.
void answers_come_after(node& of, std::chrono::milliseconds time) {
    of.network->set_plan([time](const any_request&, const call_options&) { return testing::fault{.after = time}; });
}

session_options listening(grant_notes& notes) {
    session_options options{.table = table};
    options.on_grant = notes.hook();
    return options;
}

std::size_t told(const grant_notes& notes, grant_event what) {
    return static_cast<std::size_t>(std::ranges::count(notes.told, what, &grant_note::what));
}

}  // namespace

TEST_CASE("guards that end after their lease are counted as lost, and are in the report, as the hook is told") {
    grant_notes notes;
    world w;
    node a(w, 1, {}, listening(notes));
    lock_guard guard;
    queue_turn turn;
    run(w, a, take(a, "x", guard));
    run(w, a, enter(queue{*a.session, "y"}, turn));
    a.process->pause();
    w.scheduler.run_for(30s);
    a.process->resume();
    close_report report;
    run(w, a, [](node& in, lock_guard& one, queue_turn& other, close_report& into) -> asio::awaitable<void> {
        one = {};
        other = {};
        into = co_await in.session->close();
    }(a, guard, turn, report));
    CHECK(report.lost == 2);
    CHECK(report.released == 0);
    CHECK(report.failed.empty());
    CHECK(a.session->counters().lost == 2);
    CHECK(told(notes, grant_event::lost) == 2);
}

TEST_CASE("what an acquire brought whose caller had gone is given back, and is no guard that was released") {
    grant_notes notes;
    world w;
    node a(w, 1, {}, listening(notes));
    lock_guard first;
    run(w, a, take(a, "first", first));
    run(w, a, give_back(first));
    a.network->set_plan([](const any_request&, const call_options&) { return testing::fault{.after = 100ms}; });
    error_code code;
    running waiting(w, a, take_code(lock{*a.session, "x"}, code));
    w.scheduler.run_for(50ms);  // it is written, and not answered yet
    close_report report;
    run(w, a, close(a, {}, report));
    waiting.wait();
    CHECK(code);
    CHECK(report.released == 0);
    CHECK(report.failed.empty());
    CHECK(a.session->counters().released == 1);
    CHECK(told(notes, grant_event::released) == 1);
    CHECK_FALSE(find(w.row("lock#x"), "holder"));
}

TEST_CASE("a turn that is handed over is not counted as released, too") {
    grant_notes notes;
    world w;
    node a(w, 1, {}, listening(notes));
    const queue line{*a.session, "x"};
    queue_turn first;
    queue_turn second;
    run(w, a, enter(line, first));
    running waiting(w, a, enter(line, second));
    w.scheduler.run_for(2s);
    run(w, a, leave(first));
    waiting.wait();
    run(w, a, leave(second));
    const auto seen = a.session->counters();
    CHECK(seen.acquired == 2);
    CHECK(seen.hand_overs == 1);
    CHECK(seen.released == 1);
    CHECK(told(notes, grant_event::handed_over) == 1);
    CHECK(told(notes, grant_event::released) == 1);
}

TEST_CASE("a turn that is left before the one before it is known to be left is counted once") {
    grant_notes notes;
    world w;
    node a(w, 1, {}, listening(notes));
    const queue line{*a.session, "x"};
    queue_turn first;
    queue_turn second;
    run(w, a, enter(line, first));
    answers_come_after(a, 700ms);
    running leaves(w, a, leave(first));
    w.scheduler.run_for(50ms);
    answers_come_after(a, 0ms);
    run(w, a, enter(line, second));
    run(w, a, leave(second));
    leaves.wait();
    const auto seen = a.session->counters();
    CHECK(seen.acquired == 2);
    CHECK(seen.hand_overs == 1);
    CHECK(seen.released == 1);
    CHECK(told(notes, grant_event::handed_over) == 1);
    CHECK(told(notes, grant_event::released) == 1);
}

TEST_CASE("a turn that came when its caller had gone is neither acquired, nor handed over to, nor released") {
    grant_notes notes;
    world w;
    node a(w, 1, {}, listening(notes));
    const queue line{*a.session, "x"};
    queue_turn first;
    run(w, a, enter(line, first));
    answers_come_after(a, 700ms);
    running leaves(w, a, leave(first));
    w.scheduler.run_for(50ms);
    answers_come_after(a, 400ms);
    error_code code;
    run(w, a, enter_for(line, 100ms, code));
    CHECK(code == errc::in_doubt);
    CHECK(a.session->counters().leases_held == 0);
    leaves.wait();
    w.scheduler.run_for(5s);
    const auto seen = a.session->counters();
    CHECK(seen.acquired == 1);
    CHECK(seen.hand_overs == 0);
    CHECK(seen.released == 1);
    CHECK(seen.leases_held == 0);
    CHECK(told(notes, grant_event::granted) == 1);
    CHECK(told(notes, grant_event::released) == 1);
    queue_turn next;
    run(w, a, enter(line, next));
    CHECK(next.held());
}

TEST_CASE("a lock that came with the data of a caller who had gone is the next one's, and handed over by nobody") {
    grant_notes notes;
    world w;
    node a(w, 1, {}, listening(notes));
    const lock target{*a.session, "x"};
    lock_guard warm;
    run(w, a, take(a, "y", warm));
    answers_come_after(a, 400ms);
    lock_guard none;
    lock_guard guard;
    running leaves(w, a, take_with(target, "a", 100ms, none));
    running waits(w, a, take_with(target, "b", 1min, guard));
    waits.wait();
    CHECK_FALSE(none);
    CHECK(guard.held());
    const auto row = w.row("lock#x");
    CHECK(*find(row, "data") == attribute_value(attribute_map{{"who", "b"}}));
    CHECK(a.session->counters().acquired == 2);
    CHECK(a.session->counters().hand_overs == 0);
    CHECK(told(notes, grant_event::handed_over) == 0);
}

TEST_CASE("a lock that is handed to a caller who has gone meanwhile is released, and handed over to nobody") {
    grant_notes notes;
    world w;
    node a(w, 1, {}, listening(notes));
    const lock target{*a.session, "x"};
    lock_guard first;
    lock_guard none;
    run(w, a, take(target, first));
    running waits(w, a, take_with(target, "b", 200ms, none));
    w.scheduler.run_for(50ms);
    answers_come_after(a, 400ms);
    run(w, a, give_back(first));
    waits.wait();
    w.scheduler.run_for(5s);
    CHECK_FALSE(none);
    CHECK_FALSE(find(w.row("lock#x"), "holder"));
    CHECK(a.session->counters().hand_overs == 0);
    CHECK(a.session->counters().released == 1);
    CHECK(told(notes, grant_event::handed_over) == 0);
    CHECK(told(notes, grant_event::released) == 1);
}

TEST_CASE("a turn that ends before the next of its process, with another's between, is handed over to nobody") {
    grant_notes notes;
    world w;
    node a(w, 1, {}, listening(notes));
    node b(w, 2);
    const queue line{*a.session, "x"};
    queue_turn first;
    queue_turn between;
    queue_turn second;
    run(w, a, enter(line, first));
    running other(w, b, enter(queue{*b.session, "x"}, between));
    w.scheduler.run_for(1s);
    running waits(w, a, enter(line, second));
    w.scheduler.run_for(1s);
    // Its leave is done, and the answers stay away until the next one's turn.
    a.network->set_plan([](const any_request& request, const call_options&) {
        const auto* write = std::get_if<update_item_request>(&request);
        const bool leaves = write != nullptr && *find_string(write->key, "pk") == "queue#x";
        return testing::fault{leaves ? testing::fault::kind::lose_answer : testing::fault::kind::pass};
    });
    running leaves(w, a, [](queue_turn& turn) -> asio::awaitable<void> { co_await turn.leave(as_tuple); }(first));
    other.wait();
    run(w, b, leave(between));
    waits.wait();
    a.network->set_plan({});
    leaves.wait();
    w.scheduler.run_for(5s);
    CHECK(second.held());
    CHECK(a.session->counters().hand_overs == 0);
    CHECK(a.session->counters().released == 1);
    CHECK(told(notes, grant_event::handed_over) == 0);
}
