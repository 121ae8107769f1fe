// What a user notices of a session: how it opens, how it ends, and what closing reports.
// SPDX-License-Identifier: BSL-1.0
#include "unit/session/session_steps.hpp"

#include <dynalease/queue.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <catch2/catch.hpp>

#include <set>
#include <string>
#include <variant>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

using kind = testing::fault::kind;

asio::awaitable<void> enter(node& in, queue_turn& into) {
    queue target{*in.session, "orders"};
    into = co_await target.enter();
}

asio::awaitable<void> wait_over(node& in, error_code& code) {
    auto done = co_await in.session->over(as_tuple);
    code = std::get<0>(done);
}

const std::string* state_of(world& w, item& row, const std::string& id) {
    row = w.row("session#" + id);
    return find_string(row, "state");
}

}  // namespace

TEST_CASE("closing releases every lock and ends the heartbeat") {
    world w;
    node a(w);
    std::vector<lock_guard> guards(10);
    for (std::size_t i = 0; i < guards.size(); ++i) run(w, a, take(a, std::to_string(i), guards[i]));
    error_code over = errc::timeout;
    running waits(w, a, wait_over(a, over));

    close_report report;
    a.network->clear_log();
    run(w, a, close(a, {}, report));
    CHECK(report.released == 10);
    CHECK(report.failed.empty());
    CHECK(a.network->log().size() == 11);  // one per lock and one for the session
    CHECK(a.session->state() == session_state::closed);
    for (std::size_t i = 0; i < guards.size(); ++i) {
        CHECK_FALSE(guards[i].held());
        CHECK_FALSE(find(w.row("lock#" + std::to_string(i)), "holder"));
    }
    item row;
    CHECK(*state_of(w, row, a.session->id()) == "closed");
    CHECK(find_integer(row, "ttl"));
    waits.wait(1s);
    CHECK_FALSE(over);

    a.network->clear_log();
    w.scheduler.run_for(1h);
    CHECK(a.network->log().empty());
    lock_guard late;
    CHECK_THROWS_AS(run(w, a, take(a, "x", late)), error);
}

TEST_CASE("closing without release leaves the locks to the lease") {
    world w;
    node a(w);
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    close_report report;
    a.network->clear_log();
    run(w, a, close(a, {.release = false}, report));
    CHECK(a.network->log().empty());
    CHECK_FALSE(guard.held());
    CHECK(find(w.row("lock#x"), "holder"));
    CHECK(report.released == 0);
    REQUIRE(report.failed.size() == 1);
    CHECK(report.failed.front().name == "x");
    CHECK(report.failed.front().code == errc::session_closed);  // nothing was sent
    CHECK(report.row == errc::session_closed);
}

TEST_CASE("closing without a network ends in time and says what was left") {
    world w;
    node a(w);
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    a.network->set_plan(silence());
    close_report report;
    const auto began = w.scheduler.now();
    run(w, a, close(a, {.timeout = 3s}, report));
    CHECK(w.scheduler.now() - began < 5s);
    REQUIRE(report.failed.size() == 1);
    CHECK(report.failed.front().name == "x");
    CHECK(report.failed.front().code == errc::in_doubt);
    CHECK(report.row == errc::in_doubt);
}

TEST_CASE("closing tells of what was being given back before, and of whom nobody waits for any more") {
    world w;
    node a(w);
    node b(w, 2);
    lock_guard guard;
    lock_guard other;
    run(w, a, take(a, "x", guard));
    run(w, b, take(b, "taken", other));
    queue_turn turn;
    run(w, b, enter(b, turn));
    queue_turn none;
    running waits(w, a, enter(a, none));
    w.scheduler.run_for(2s);
    a.network->set_plan(silence());
    guard = {};
    close_report report;
    run(w, a, close(a, {.timeout = 3s}, report));
    CHECK_THROWS_AS(waits.wait(), error);
    std::set<std::string> left;
    for (const auto& each : report.failed) {
        left.insert(each.name);
        CHECK(each.code == errc::in_doubt);
    }
    CHECK(left == std::set<std::string>{"x", "orders"});
    CHECK(report.row == errc::in_doubt);
}

TEST_CASE("what could not be released is free at once where the row of its session was closed, which is told") {
    world w;
    node a(w);
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    a.network->set_plan([](const any_request& request, const call_options&) {
        const auto* update = std::get_if<update_item_request>(&request);
        const bool of_the_lock = update && find_string(update->key, "pk")->starts_with("lock#");
        return testing::fault{of_the_lock ? kind::lose_request : kind::pass};
    });
    close_report report;
    run(w, a, close(a, {}, report));
    REQUIRE(report.failed.size() == 1);
    CHECK(report.failed.front().code == errc::in_doubt);
    CHECK_FALSE(report.row);
}

TEST_CASE("a session that is closed while it opens leaves no row that looks alive") {
    world w;
    node a(w);
    testing::fault slow;
    slow.before = 300ms;
    slow.after = 300ms;
    a.network->set_plan(testing::scripted_faults({slow}));
    lock_guard guard;
    running opens(w, a, take(a, "x", guard));
    w.scheduler.run_for(100ms);
    close_report report;
    run(w, a, close(a, {}, report));
    CHECK_THROWS_AS(opens.wait(), dynalease::error);
    CHECK_FALSE(guard);
    item row;
    const auto* state = state_of(w, row, a.session->id());
    REQUIRE(state);
    CHECK(*state == "closed");
}

TEST_CASE("waiting callers fail when the session is closed or lost") {
    for (const bool closing : {true, false}) {
        world w;
        node a(w, 1);
        node b(w, 2, {}, {.table = table, .begins_anew = false});
        lock_guard held;
        lock_guard waited;
        run(w, a, take(a, "x", held));
        running waits(w, b, take(b, "x", waited));
        w.scheduler.run_for(2s);
        close_report report;
        if (closing) {
            run(w, b, close(b, {}, report));
        } else {
            b.network->set_plan(silence());
        }
        try {
            waits.wait(15s);
            FAIL("it was granted");
        } catch (const error& e) {
            CHECK(e.code() == (closing ? errc::session_closed : errc::session_lost));
            CHECK(e.condition() == condition::lost);
        }
        if (closing) {
            const auto row = w.row("lock#x");
            const auto* line = find(row, "line");
            CHECK((!line || line->get_if<attribute_list>()->empty()));
        }
    }
}

TEST_CASE("a network that never answers fails the first acquire as unanswered, within its deadline") {
    world w;
    node a(w);
    a.network->set_plan(silence());
    lock_guard guard;
    try {
        run(w, a, take(a, "x", guard), 10s);
        FAIL("it was granted");
    } catch (const error& e) {
        CHECK(e.code() == errc::timeout);
    }
    a.network->set_plan({});
    run(w, a, take(a, "x", guard));
    CHECK(guard.held());
}

TEST_CASE("a lost answer to the creation of the session is found to be our own") {
    world w;
    node a(w);
    a.network->set_plan(testing::scripted_faults({testing::fault{kind::lose_answer}}));
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    CHECK(guard.held());
    CHECK(a.requests("session#" + a.session->id()) == 2);
}

TEST_CASE("lost heartbeats within the lease cost jeopardy, not the locks") {
    world w;
    node a(w);
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    a.network->set_plan(all_meet({kind::lose_answer}));
    w.scheduler.run_for(7s);
    CHECK(guard.state() == guard_state::jeopardy);
    a.network->set_plan({});
    w.scheduler.run_for(2s);
    CHECK(guard.state() == guard_state::held);
    CHECK(a.session->counters().jeopardies == 1);
    w.scheduler.run_for(1min);
    CHECK(guard.held());
}

TEST_CASE("a process that slept beyond its lease knows it at once") {
    world w;
    node a(w);
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    a.process->pause();
    w.scheduler.run_for(20s);
    CHECK_FALSE(guard.held());
    a.process->resume();
    CHECK_FALSE(guard.held());
    w.scheduler.run_for(10ms);
    CHECK(guard.state() == guard_state::lost);
    CHECK(a.session->state() == session_state::idle);
}

TEST_CASE("a wait can be cancelled by each type, at once, and resolves") {
    for (const auto type :
         {asio::cancellation_type::terminal, asio::cancellation_type::partial, asio::cancellation_type::total}) {
        world w;
        node a(w, 1);
        node b(w, 2);
        lock_guard held;
        run(w, a, take(a, "x", held));
        lock target{*b.session, "x"};
        asio::cancellation_signal signal;
        std::optional<error_code> code;
        target.acquire(asio::bind_cancellation_slot(signal.slot(), [&](error_code ec, lock_guard) { code = ec; }));
        w.scheduler.run_for(2s);
        REQUIRE_FALSE(code);
        signal.emit(type);
        w.scheduler.run_for(1ms);
        REQUIRE(code);
        CHECK(*code == errc::cancelled);
        w.scheduler.run_for(1s);
        const auto row = w.row("lock#x");
        const auto* line = find(row, "line");
        CHECK((!line || line->get_if<attribute_list>()->empty()));
        CHECK(held.held());
    }
}

namespace {
asio::awaitable<void> look(node& in, lock_info& info) {
    lock target{*in.session, "x"};
    info = co_await target.inspect();
}
asio::awaitable<void> take_with_data(node& in, lock_guard& into) {
    lock target{*in.session, "x"};
    acquire_options options{.data = {{"job", "nightly"}}};
    into = co_await target.acquire(std::move(options));
}
}  // namespace

TEST_CASE("inspect shows who holds a lock and who waits") {
    world w;
    node a(w, 1, {}, {.table = table, .owner = "billing-7"});
    node b(w, 2);
    node c(w, 3);
    lock_info info;
    run(w, c, look(c, info));
    CHECK_FALSE(info.held);
    CHECK(info.fencing_token == 0);

    lock_guard held;
    lock_guard waited;
    run(w, a, take_with_data(a, held));
    running waits(w, b, take(b, "x", waited));
    w.scheduler.run_for(1s);
    run(w, c, look(c, info));
    CHECK(info.held);
    CHECK(info.owner == "billing-7");
    CHECK(info.holder == a.session->id());
    CHECK(info.fencing_token == held.fencing_token());
    CHECK(info.waiting == 1);
    CHECK(*find_string(info.data, "job") == "nightly");
}
