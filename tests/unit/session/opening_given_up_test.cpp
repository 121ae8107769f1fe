// A session whose opening was given up while its row may have come to be: nobody's for no longer than need be.
// SPDX-License-Identifier: BSL-1.0
#include "unit/session/session_steps.hpp"

#include <catch2/catch.hpp>

#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

using testing::fault;
using kind = testing::fault::kind;

/// The states of all session rows.
std::multiset<std::string> sessions(world& w) {
    std::multiset<std::string> states;
    for (const auto& row : w.apply(scan_request{.table_name = table}).items) {
        if (find_string(row, "pk")->starts_with("session#")) states.insert(*find_string(row, "state"));
    }
    return states;
}

/// A process whose session's creation lands, and is never answered.
struct given_up {
    given_up() {
        a.network->set_plan([](const any_request& request, const call_options&) {
            return fault{std::holds_alternative<put_item_request>(request) ? kind::lose_answer : kind::pass};
        });
        std::optional<error> told;
        run(w, a, tell(a, 0s, told));
        REQUIRE(told);
        REQUIRE(told->code() == errc::timeout);
        REQUIRE(sessions(w) == std::multiset<std::string>{"alive"});
        a.network->set_plan({});
    }

    world w;
    node a{w};
    close_report report;
};

}  // namespace

TEST_CASE("an opening goes on with the row of one that was given up in doubt, and closing closes it") {
    const auto later = GENERATE(0s, 3s, 60s);
    given_up in;
    in.w.scheduler.run_for(later);
    lock_guard guard;
    run(in.w, in.a, take(in.a, "x", guard));
    CHECK(guard.held());
    CHECK(sessions(in.w) == std::multiset<std::string>{"alive"});
    in.w.scheduler.run_for(1min);
    CHECK(guard.held());
    run(in.w, in.a, close(in.a, {}, in.report));
    CHECK_FALSE(in.report.row);
    CHECK(sessions(in.w) == std::multiset<std::string>{"closed"});
}

TEST_CASE(
    "closing waits for no answer about a row that was given up in doubt, says so, and has it closed all the same") {
    const bool answered = GENERATE(true, false);
    given_up in;
    if (!answered) in.a.network->set_plan(silence());
    const auto began = in.w.scheduler.now();
    run(in.w, in.a, close(in.a, {}, in.report));
    CHECK(in.w.scheduler.now() == began);
    CHECK(in.report.row == errc::in_doubt);
    in.w.scheduler.run_for(2s);
    CHECK(sessions(in.w) == std::multiset<std::string>{answered ? "closed" : "alive"});
    in.a.network->clear_log();
    in.w.scheduler.run_for(1h);
    CHECK(in.a.network->log().empty());
}

TEST_CASE("a session that is left to the lease sends nothing about a row that was given up in doubt") {
    given_up in;
    in.a.network->clear_log();
    run(in.w, in.a, close(in.a, {.release = false}, in.report));
    CHECK(in.report.row == errc::in_doubt);
    in.w.scheduler.run_for(1min);
    CHECK(in.a.network->log().empty());
}

TEST_CASE("a session that is left to the lease while it opens is closed at once") {
    const auto fate = GENERATE(fault{.before = 800ms}, throttling());
    world w;
    node a(w);
    a.network->set_plan(all_meet(fate));
    std::optional<error> told;
    running waits(w, a, tell(a, 1min, told));
    w.scheduler.run_for(500ms);
    close_report report;
    const auto began = w.scheduler.now();
    run(w, a, close(a, {.release = false}, report));
    CHECK(w.scheduler.now() == began);
    CHECK(report.row == (fate.what == kind::fail ? error_code() : make_error_code(errc::in_doubt)));
    waits.wait(10ms);
    REQUIRE(told);
    CHECK(told->code() == errc::session_closed);
}

TEST_CASE(
    "whoever waits for a session to open is told in the step in which it closes, and closing waits for one answer at "
    "most") {
    // While its first request is under way, after that was refused, while the client backs off, and when it is opened.
    const auto fate = GENERATE(fault{.before = 700ms}, throttling(), fault{kind::lose_answer});
    const auto after = GENERATE(range(50, 2050, 100));
    world w;
    node a(w);
    a.network->set_plan([fate](const any_request& request, const call_options&) {
        auto met = std::holds_alternative<put_item_request>(request) ? fate : fault{};
        if (met.what != kind::pass) met.again = 300ms;
        return met;
    });
    std::vector<std::optional<error>> told(3);
    std::vector<running> waits;
    for (auto& each : told) waits.emplace_back(w, a, tell(a, 1min, each));
    w.scheduler.run_for(std::chrono::milliseconds(after));
    if (a.session->state() != session_state::opening) return;
    close_report report;
    running closes(w, a, close(a, {}, report));
    w.scheduler.run_for(1ms);
    for (auto& each : waits) CHECK(each.done());
    for (auto& each : told) CHECK((each && each->code() == errc::session_closed));
    closes.wait(1100ms);
}
