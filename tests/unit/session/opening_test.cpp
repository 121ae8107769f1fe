// What callers are told while their session opens in vain, and how one life ends what the former has left.
// SPDX-License-Identifier: BSL-1.0
#include "unit/session/session_steps.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

using testing::fault;
using kind = testing::fault::kind;

bool creates(const any_request& request) {
    return std::holds_alternative<put_item_request>(request);
}
bool closes(const any_request& request, const std::string& id) {
    const auto* update = std::get_if<update_item_request>(&request);
    return update && update->values.contains(":closed") && *find_string(update->key, "pk") == "session#" + id;
}

/// A process that has lost a life, in which it held a lock.
struct former_life {
    former_life() {
        run(w, a, take(a, "x", guard));
        former = a.session->id();
        a.network->set_plan(silence());
        w.scheduler.run_for(30s);
        REQUIRE(guard.state() == guard_state::lost);
        a.network->set_plan({});
    }
    std::string state(const std::string& id) {
        const auto row = w.row("session#" + id);
        const auto* said = find_string(row, "state");
        return said ? *said : "";
    }

    world w;
    node a{w};
    lock_guard guard;
    std::string former;
};

}  // namespace

// ---- what is told ------------------------------------------------------------------------------------------

TEST_CASE("who opens a session by a write without an answer is not told that nobody could be reached") {
    world w;
    node a(w);
    a.network->set_plan(all_meet({kind::lose_answer}));
    std::optional<error> told;
    run(w, a, tell(a, std::nullopt, told));
    REQUIRE(told);
    CHECK(told->code() == errc::timeout);
    CHECK(told->code() == condition::unreachable);
    CHECK(told->diagnostics().message.find("the session could not be opened") != std::string::npos);
    CHECK(told->diagnostics().message.find("nothing was asked for yet of what the call wants") != std::string::npos);
    CHECK(told->diagnostics().advice.find("read the item") == std::string::npos);
    CHECK(told->diagnostics().attempts == 2);
}

TEST_CASE("who comes while a session opens in vain is told of the requests since then") {
    world w;
    node a(w);
    std::size_t sent = 0;
    a.network->set_plan([&sent](const any_request&, const call_options&) {
        ++sent;
        return nobody_there();
    });
    std::optional<error> first;
    std::optional<error> second;
    running waits(w, a, tell(a, 20s, first));
    w.scheduler.run_for(9s);
    REQUIRE(sent >= 5);
    const auto before = sent;
    run(w, a, tell(a, 5s, second));
    const auto since = sent - before;
    waits.wait();
    REQUIRE(first);
    REQUIRE(second);
    CHECK(first->diagnostics().attempts == sent);
    CHECK(second->diagnostics().attempts == since);
    CHECK(second->code() == errc::unreachable);
}

TEST_CASE("a wait that ends before the request that opens its session is answered is told of that") {
    world w;
    node a(w);
    a.network->set_plan(all_meet({.before = 10s}));
    std::optional<error> told;
    run(w, a, tell(a, 500ms, told));
    REQUIRE(told);
    CHECK(told->code() == errc::timeout);
    CHECK(told->code() == condition::unreachable);
}

TEST_CASE("who waits for a session whose table throttles is told of that") {
    world w;
    node a(w);
    a.network->set_plan(all_meet(throttling()));
    std::optional<error> told;
    run(w, a, tell(a, 2s, told));
    REQUIRE(told);
    CHECK(told->code() == errc::throttled);
    CHECK(told->code() == condition::throttled);
    CHECK(told->diagnostics().attempts > 1);
}

TEST_CASE("who waits for a session to open is told at once that it closes, and closing ends as soon") {
    const auto fate = GENERATE(throttling(), fault{.before = 3s});
    world w;
    node a(w);
    a.network->set_plan(all_meet(fate));
    std::optional<error> told;
    running waits(w, a, tell(a, 1min, told));
    // In one of the longest pauses between two requests, or while one is under way.
    w.scheduler.run_for(2500ms);
    REQUIRE_FALSE(told);
    running closes(w, a, close(a, {}));
    waits.wait(10ms);
    REQUIRE(told);
    CHECK(told->code() == errc::session_closed);
    closes.wait(fate.before + 10ms);
}

TEST_CASE("who waits for a session to open is counted among those who wait, and its state is told with that") {
    world w;
    node a(w);
    CHECK(a.session->counters().state == session_state::idle);
    a.network->set_plan(all_meet({.before = 500ms}));
    lock_guard guard;
    running one(w, a, take(a, "x", guard));
    std::optional<error> told;
    running two(w, a, tell(a, 100ms, told));
    w.scheduler.run_for(50ms);
    CHECK(a.session->counters().waiting == 2);
    CHECK(a.session->counters().state == session_state::opening);
    two.wait();
    CHECK(a.session->counters().waiting == 1);
    one.wait();
    CHECK(a.session->counters().waiting == 0);
    CHECK(a.session->counters().state == session_state::live);
}

// ---- from life to life ---------------------------------------------------------------------------------------

TEST_CASE("a session that is closed between two lives closes the row of the former, too") {
    former_life in;
    in.a.network->clear_log();
    run(in.w, in.a, close(in.a, {}));
    CHECK(in.state(in.former) == "closed");
    CHECK(find_integer(in.w.row("session#" + in.former), "ttl"));
    CHECK(in.a.network->log().size() == 1);
}

TEST_CASE("a session that is closed between two lives ends in time, whoever answers, and writes nothing if so told") {
    former_life in;
    in.a.network->set_plan(silence());
    const auto began = in.w.scheduler.now();
    run(in.w, in.a, close(in.a, {.timeout = 700ms}));
    CHECK(in.w.scheduler.now() - began <= 700ms);
    CHECK(in.state(in.former) == "alive");

    former_life left;
    left.a.network->clear_log();
    run(left.w, left.a, close(left.a, {.release = false}));
    left.w.scheduler.run_for(1min);
    CHECK(left.a.network->log().empty());
}

TEST_CASE("a session whose handle ends between two lives closes the row of the former, too") {
    former_life in;
    in.a.session.reset();
    in.w.scheduler.run_for(1s);
    CHECK(in.state(in.former) == "closed");
}

TEST_CASE("a life that ends before it was live leaves the row of the former to the next") {
    former_life in;
    // The creation is applied, and its answer comes when others have seen the new life dead.
    bool refused = false;
    in.a.network->set_plan([&refused](const any_request& request, const call_options& options) {
        if (options.lane == lane::heartbeat && !std::exchange(refused, true)) {
            return fault{.what = kind::fail, .answer = failure(errc::condition_failed, outcome::not_applied)};
        }
        return creates(request) ? fault{.after = 950ms} : fault{};
    });
    lock_guard again;
    running waits(in.w, in.a, take(in.a, "y", again));
    in.w.scheduler.run_for(100ms);
    in.a.process->pause();
    in.w.scheduler.run_for(30s);
    in.a.process->resume();
    waits.wait(1min);
    CHECK(again.held());
    REQUIRE(refused);
    REQUIRE(in.a.session->lives() == 3);
    in.w.scheduler.run_for(5s);
    CHECK(in.state(in.former) == "closed");
}

TEST_CASE("no caller waits for the row of the former life to be closed, but close does") {
    former_life in;
    in.a.network->set_plan([&](const any_request& request, const call_options&) {
        return closes(request, in.former) ? fault{.before = 600ms} : fault{};
    });
    lock_guard other;
    const auto began = in.w.scheduler.now();
    run(in.w, in.a, take(in.a, "y", other));
    CHECK(in.w.scheduler.now() - began < 100ms);
    CHECK(in.state(in.former) == "alive");
    run(in.w, in.a, close(in.a, {}));
    CHECK(in.state(in.former) == "closed");
}

TEST_CASE("the row of a former life that could not be closed is closed when the session is") {
    former_life in;
    bool closing = false;
    in.a.network->set_plan([&](const any_request& request, const call_options&) {
        return closes(request, in.former) && !closing ? nobody_there() : fault{};
    });
    lock_guard other;
    run(in.w, in.a, take(in.a, "y", other));
    in.w.scheduler.run_for(1min);
    CHECK(in.state(in.former) == "alive");
    closing = true;
    run(in.w, in.a, close(in.a, {}));
    CHECK(in.state(in.former) == "closed");
}

TEST_CASE("processes that open their sessions in one outage do not come in step") {
    world w;
    std::vector<node> all;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) all.emplace_back(w, seed);
    std::vector<std::optional<error>> told(all.size());
    std::vector<running> waits;
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i].network->set_plan(all_meet(nobody_there()));
        waits.emplace_back(w, all[i], tell(all[i], 10s, told[i]));
    }
    w.scheduler.run_for(11s);
    std::set<clock::time_point> moments;
    for (const auto& each : all) moments.insert(each.network->log().back()->sent);
    CHECK(moments.size() == all.size());
}

// ---- the log -------------------------------------------------------------------------------------------------

TEST_CASE("each heartbeat without an answer is one line in the log, whatever state follows from it") {
    std::vector<std::string> lines;
    session_options options{.table = table};
    options.log = [&lines](severity, std::string_view line) { lines.emplace_back(line); };
    world w;
    node a(w, 1, {}, std::move(options));
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    lines.clear();
    const auto before = a.session->counters();
    a.network->set_plan(silence());
    w.scheduler.run_for(8s);
    a.network->set_plan({});
    w.scheduler.run_for(5s);
    const auto after = a.session->counters();
    REQUIRE(after.jeopardies == before.jeopardies + 1);
    // And one that it is over.
    CHECK(lines.size() == after.heartbeats_unanswered - before.heartbeats_unanswered + 1);
    const auto told = [&](const char* words) {
        return std::ranges::any_of(lines, [&](const auto& line) { return line.find(words) != std::string::npos; });
    };
    CHECK(told("in jeopardy"));
    CHECK(told("a heartbeat had no answer; another is sent. The lease ends in "));
    CHECK_FALSE(told("read before deciding"));
}

TEST_CASE("heartbeats of a short lease that go unanswered do not fill the log") {
    std::vector<std::string> lines;
    session_options options{.table = table, .lease = 1s};
    options.log = [&lines](severity, std::string_view line) { lines.emplace_back(line); };
    world w;
    node a(w, 1, {}, std::move(options));
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    lines.clear();
    a.network->set_plan(silence());
    w.scheduler.run_for(950ms);
    REQUIRE(a.session->counters().heartbeats_unanswered > 3);
    CHECK(lines.size() == 2);  // the first, and that it is in jeopardy
    CHECK(lines.back().find("in jeopardy") != std::string::npos);
}

TEST_CASE("each line of the log names the session and its owner, and the first its table") {
    world w;
    std::vector<std::string> lines;
    session_options options{.table = table, .owner = "first"};
    options.log = [&lines](severity, std::string_view line) { lines.emplace_back(line); };
    node a(w, 1, {}, std::move(options));
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    const auto begin = "session " + a.session->id() + " of first: ";
    a.network->set_plan(silence());
    w.scheduler.run_for(30s);
    REQUIRE(lines.size() > 1);
    CHECK(lines.front() == begin + "live, in table '" + table + "'");
    for (const auto& each : lines) CHECK(each.starts_with(begin));
}
