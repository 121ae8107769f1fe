// What a guard tells its owner: whether it is valid, that it is lost, and what its fence lets through.
// SPDX-License-Identifier: BSL-1.0
#include "support/lock_steps.hpp"

#include <dynalease/queue.hpp>

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

TEST_CASE("valid turns false exactly at the deadline, though nothing runs") {
    world w;
    node a(w);
    lock_guard guard;
    run(w, a, take(lock{*a.session, "x"}, guard));
    a.network->set_plan(
        [](const any_request&, const call_options&) { return testing::fault{testing::fault::kind::lose_request}; });
    const auto last_sent = a.network->log().front()->sent;
    w.scheduler.run_until(last_sent + 4500ms);
    CHECK(guard.state() == guard_state::jeopardy);
    CHECK(guard.held());
    w.scheduler.run_until(last_sent + 9975ms - 1ns);
    CHECK(guard.held());
    w.scheduler.advance(1ns);
    CHECK_FALSE(guard.held());
    CHECK(guard.state() == guard_state::lost);
    w.scheduler.run_for(1ms);
    CHECK(a.session->state() == session_state::idle);
    CHECK(a.session->counters().lost == 1);
}

TEST_CASE("a guard that is dropped frees its lock") {
    world w;
    node a(w);
    lock_guard guard;
    run(w, a, take(lock{*a.session, "x"}, guard));
    guard = {};
    w.scheduler.run_for(1s);
    CHECK_FALSE(find(w.row("lock#x"), "holder"));
    CHECK(a.session->counters().leases_held == 0);
}

namespace {
asio::awaitable<void> release_codes(lock_guard& guard, std::vector<error_code>& codes) {
    auto first = co_await guard.release(as_tuple);
    codes.push_back(std::get<0>(first));
    auto second = co_await guard.release(as_tuple);
    codes.push_back(std::get<0>(second));
}

asio::awaitable<void> release_told(lock_guard& guard, diagnostics& details) {
    auto done = co_await guard.release(details, as_tuple);
    CHECK(std::get<0>(done) == errc::lock_lost);
}

asio::awaitable<void> enter_queue(queue line, queue_turn& turn) {
    turn = co_await line.enter();
}
asio::awaitable<void> leave_code(queue_turn& turn, std::vector<error_code>& codes) {
    auto done = co_await turn.leave(as_tuple);
    codes.push_back(std::get<0>(done));
}

asio::awaitable<void> wait_lost(lock_guard& guard, error_code& code, diagnostics* why = nullptr) {
    diagnostics details;
    auto done = co_await guard.lost(details, as_tuple);
    if (why) *why = details;
    code = std::get<0>(done);
}
}  // namespace

TEST_CASE("a release says whether the lock was still ours") {
    world w;
    node a(w);
    lock_guard guard;
    std::vector<error_code> codes;
    run(w, a, take(lock{*a.session, "x"}, guard));
    run(w, a, release_codes(guard, codes));
    CHECK(codes == std::vector<error_code>{{}, errc::not_held});

    codes.clear();
    run(w, a, take(lock{*a.session, "x"}, guard));
    w.apply(delete_item_request{.table_name = table, .key = {{"pk", "lock#x"}, {"sk", "-"}}});  // by hand
    run(w, a, release_codes(guard, codes));
    CHECK(codes == std::vector<error_code>{errc::lock_lost, errc::not_held});

    codes.clear();
    lock_guard none;
    run(w, a, release_codes(none, codes));
    CHECK(codes.front() == errc::not_held);
}

TEST_CASE("diagnostics before the token are filled by the time it completes") {
    world w;
    node a(w);
    lock_guard guard;
    run(w, a, take(lock{*a.session, "x"}, guard));
    w.apply(delete_item_request{.table_name = table, .key = {{"pk", "lock#x"}, {"sk", "-"}}});  // by hand
    diagnostics details;
    run(w, a, release_told(guard, details));
    CHECK(details.key == "x");
    CHECK_FALSE(details.operation.empty());
}

TEST_CASE("a release of what was lost with its session says that the session was") {
    world w;
    node a(w);
    lock_guard guard;
    queue_turn turn;
    run(w, a, take(lock{*a.session, "x"}, guard));
    run(w, a, enter_queue(queue{*a.session, "y"}, turn));
    a.network->set_plan(
        [](const any_request&, const call_options&) { return testing::fault{testing::fault::kind::lose_request}; });
    w.scheduler.run_for(30s);
    REQUIRE(guard.state() == guard_state::lost);
    REQUIRE(turn.state() == guard_state::lost);
    std::vector<error_code> codes;
    run(w, a, release_codes(guard, codes));
    run(w, a, leave_code(turn, codes));
    CHECK(codes == std::vector<error_code>(3, errc::session_lost));
    CHECK(a.session->counters().lost == 2);
}

TEST_CASE("lost completes when the session is marked dead by another") {
    world w;
    node a(w);
    lock_guard guard;
    run(w, a, take(lock{*a.session, "x"}, guard));
    error_code code = errc::timeout;
    running waits(w, a, wait_lost(guard, code));
    update_item_request mark{.table_name = table,
                             .key = {{"pk", "session#" + a.session->id()}, {"sk", "-"}},
                             .update_expression = "SET #s = :dead, #by = :me",
                             .names = {{"#s", "state"}, {"#by", "by"}},
                             .values = {{":dead", "dead"}, {":me", "somebody"}}};
    w.apply(std::move(mark));
    waits.wait(3s);
    CHECK_FALSE(code);
    CHECK_FALSE(guard.held());
    CHECK(a.session->state() == session_state::idle);
}

TEST_CASE("whoever listens for the loss of a guard is told that the close of its session took it") {
    world w;
    node a(w);
    lock_guard guard;
    run(w, a, take(lock{*a.session, "x"}, guard));
    error_code code;
    diagnostics why;
    running waits(w, a, wait_lost(guard, code, &why));
    run(w, a, [](node& in) -> asio::awaitable<void> { co_await in.session->close(); }(a));
    waits.wait(1s);
    CHECK(code == errc::not_held);
    CHECK_THAT(why.message, Catch::Contains("by the close of its session"));
}

namespace {
asio::awaitable<void> fenced_write(node& in, lock_guard& guard, error_code& code) {
    database target(in.network);
    transact_write_items_request both;
    both.actions.emplace_back(guard.fence());
    both.actions.emplace_back(transact_put{.table_name = table, .new_item = {{"pk", "mine"}, {"sk", "-"}}});
    auto done = co_await target.execute(std::move(both), call_options{}, as_tuple);
    code = std::get<0>(done);
}
}  // namespace

TEST_CASE("the fence lets writes through only while the grant is in force") {
    world w;
    node a(w, 1);
    node b(w, 2);
    lock_guard first;
    run(w, a, take(lock{*a.session, "x"}, first));
    error_code code;
    run(w, a, fenced_write(a, first, code));
    CHECK_FALSE(code);

    // The process sleeps beyond its lease while another takes over: it cannot know, but its write fails.
    lock_guard second;
    a.process->pause();
    running waits(w, b, take(lock{*b.session, "x"}, second));
    waits.wait(30s);
    auto stale = first.fence();
    a.process->resume();
    transact_write_items_request both;
    both.actions.emplace_back(std::move(stale));
    both.actions.emplace_back(transact_put{.table_name = table, .new_item = {{"pk", "mine"}, {"sk", "late"}}});
    auto refused = w.store.engine().execute(any_request(std::move(both)), w.store.environment().clock->wall());
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == errc::transaction_canceled);
    CHECK(refused_condition(refused.error(), 0));
    CHECK_FALSE(refused_condition(refused.error(), 1));
    CHECK_FALSE(refused_condition(refused.error(), 2));
    CHECK(second.fencing_token() > first.fencing_token());
}
