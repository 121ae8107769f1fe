// What is told of trouble around a session: while it opens, when it closes, and where a hook of its user fails.
// SPDX-License-Identifier: BSL-1.0
#include "unit/session/session_steps.hpp"

#include <dynalease/queue.hpp>

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

asio::awaitable<void> hold_on(const node& in, bool& began) {
    began = true;
    auto& clock = *in.environment.clock;
    co_await clock.async_wait_until(clock.now() + 1h, as_tuple);
}
struct long_work {
    const node* in;
    bool* began;
    asio::awaitable<void> operator()(lock_guard&) const { return hold_on(*in, *began); }
};
asio::awaitable<void> work_long(node& in, bool& began) {
    lock target{*in.session, "worked on"};
    long_work body{&in, &began};
    auto [thrown] = co_await asio::co_spawn(co_await asio::this_coro::executor, with_lock(target, body), as_tuple);
    CHECK(thrown);
}

/// The writes of such rows have that fate.
testing::fault_plan rows_meet(std::string_view prefix, const fault& fate) {
    return [prefix, fate](const any_request& request, const call_options&) {
        const auto* write = std::get_if<update_item_request>(&request);
        const bool met = write != nullptr && find_string(write->key, "pk")->starts_with(prefix);
        return met ? fate : fault{};
    };
}

bool any_line(const std::vector<std::string>& lines, std::string_view words) {
    return std::ranges::any_of(lines, [&](const auto& line) { return line.find(words) != std::string::npos; });
}

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

// ---- closing -------------------------------------------------------------------------------------------------

TEST_CASE("a session that is closed while its row is in doubt says so") {
    world w;
    node a(w);
    std::optional<error> told;
    close_report report;
    SECTION("its creation has had no answer") {
        const bool release = GENERATE(true, false);
        a.network->set_plan(all_meet({kind::lose_answer}));
        running waits(w, a, tell(a, 1min, told));
        w.scheduler.run_for(100ms);
        run(w, a, close(a, {.release = release}, report));
        CHECK(report.row == errc::in_doubt);
    }
    SECTION("its creation is under way") {
        a.network->set_plan(all_meet({.before = 1min}));
        running waits(w, a, tell(a, 1min, told));
        w.scheduler.run_for(100ms);
        run(w, a, close(a, {.timeout = 500ms}, report));
        CHECK(report.row == errc::in_doubt);
    }
    SECTION("a try has dropped it") {
        a.network->set_plan(all_meet({kind::lose_answer}));
        run(w, a, tell(a, 0s, told));
        run(w, a, close(a, {}, report));
        CHECK(report.row == errc::in_doubt);
    }
    SECTION("it was in doubt, and then it was live") {
        a.network->set_plan(testing::scripted_faults({fault{kind::lose_answer}}));
        run(w, a, tell(a, 1min, told));
        REQUIRE_FALSE(told);
        run(w, a, close(a, {}, report));
        CHECK_FALSE(report.row);
    }
    SECTION("nothing of it can stand there") {
        a.network->set_plan(all_meet(throttling()));
        running waits(w, a, tell(a, 1min, told));
        w.scheduler.run_for(2500ms);
        run(w, a, close(a, {}, report));
        CHECK_FALSE(report.row);
    }
}

TEST_CASE("what a closed session tells of its guards is what its counters tell") {
    world w;
    node a(w);
    lock_guard one;
    lock_guard two;
    run(w, a, take(a, "one", one));
    run(w, a, take(a, "two", two));
    const auto before = a.session->counters();
    close_report report;
    SECTION("a release whose first answer is lost") {
        a.network->set_plan(lock_writes_meet({fault{kind::lose_answer}}));
        run(w, a, close(a, {}, report));
        CHECK(report.released == 2);
        CHECK(report.failed.empty());
    }
    SECTION("a release by its guard that is under way") {
        a.network->set_plan(latency(100ms));
        one = {};
        w.scheduler.run_for(50ms);
        run(w, a, close(a, {}, report));
        CHECK(report.released == 2);
    }
    SECTION("a turn whose return is answered while the row is being closed") {
        queue_turn turn;
        run(w, a, enter(queue{*a.session, "line"}, turn));
        a.network->set_plan(silence());
        turn = {};
        w.scheduler.run_for(1ms);
        // Sent again after a second, when what could not be released in time is listed already.
        a.network->set_plan(rows_meet("session#", {.before = 400ms, .after = 400ms}));
        run(w, a, close(a, {.timeout = 2s}, report));
        CHECK(report.released == 3);
        CHECK(report.failed.empty());
    }
    SECTION("a turn whose return is not answered") {
        queue_turn turn;
        run(w, a, enter(queue{*a.session, "line"}, turn));
        a.network->set_plan(rows_meet("queue#", {kind::lose_request}));
        turn = {};
        w.scheduler.run_for(1ms);
        run(w, a, close(a, {.timeout = 2s}, report));
        CHECK(report.released == 2);
        REQUIRE(report.failed.size() == 1);
        CHECK(report.failed.front().name == "line");
    }
    SECTION("two turns of one queue, of which the first was handed over before its return was answered") {
        queue_turn turn;
        run(w, a, enter(queue{*a.session, "line"}, turn));
        a.network->set_plan([](const any_request&, const call_options&) { return fault{.after = 950ms}; });
        turn = {};
        w.scheduler.run_for(1ms);
        a.network->set_plan({});
        run(w, a, enter(queue{*a.session, "line"}, turn));
        a.network->set_plan(rows_meet("queue#", {kind::lose_request}));
        turn = {};
        w.scheduler.run_for(800ms);
        run(w, a, close(a, {.timeout = 2s}, report));
        CHECK(report.released == 3);
        REQUIRE(report.failed.size() == 1);
        CHECK(report.failed.front().name == "line");
    }
    SECTION("guards that are lost meanwhile") {
        bool began = false;
        running works(w, a, work_long(a, began));
        while (!began) w.scheduler.step();
        a.network->set_plan(silence());
        run(w, a, close(a, {.timeout = 1min}, report), 2min);
        CHECK(report.released == 0);
        CHECK(report.row == errc::session_lost);
        CHECK(report.lost == 3);
        works.wait();
    }
    const auto after = a.session->counters();
    CHECK(report.released == after.released + after.hand_overs - before.released - before.hand_overs);
    CHECK(report.lost == after.lost - before.lost);
}

// ---- hooks ---------------------------------------------------------------------------------------------------

TEST_CASE("a state hook that throws is told to the log, and the session goes on") {
    std::vector<std::string> lines;
    session_options options{.table = table};
    options.log = [&lines](severity how, std::string_view line) {
        if (how == severity::error) lines.emplace_back(line);
    };
    options.on_state = [](session_state) { throw std::runtime_error("of the user's own"); };
    world w;
    node a(w, 1, {}, std::move(options));
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    CHECK(guard.held());
    CHECK(any_line(lines, "on_state"));
    CHECK(any_line(lines, "of the user's own"));
    w.scheduler.run_for(1min);
    CHECK(guard.held());
}

TEST_CASE("a log hook that throws does no harm to the session") {
    session_options options{.table = table};
    options.log = [](severity, std::string_view) { throw std::runtime_error("of the user's own"); };
    world w;
    node a(w, 1, {}, std::move(options));
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    w.scheduler.run_for(1min);
    CHECK(guard.held());
}
