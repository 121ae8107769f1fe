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
