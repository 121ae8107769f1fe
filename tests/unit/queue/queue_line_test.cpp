// Lines in which the dead, the void and the missing stand between the living: found by simulated worlds.
// SPDX-License-Identifier: BSL-1.0
#include "queue_callers.hpp"

#include <dynalease/queue.hpp>

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

using fault = testing::fault;

/// As long as `applies` says so, requests meet `fate`.
template <class Applies>
testing::fault_plan when(Applies applies, fault fate) {
    return [applies, fate](const any_request& request, const call_options&) mutable {
        return applies(request) ? fate : fault{};
    };
}

bool leaves(const any_request& request) {
    const auto* update = std::get_if<update_item_request>(&request);
    return update && update->values.contains(":pace");
}

bool draws_together(const any_request& request) {
    return std::holds_alternative<transact_write_items_request>(request);
}

asio::awaitable<void> enter_together(std::vector<queue> queues, std::vector<queue_turn>& into) {
    into = co_await enter_all(std::move(queues));
}

asio::awaitable<void> wait_for_loss(const queue_turn& turn) {
    co_await turn.lost();
}

void give_up_soon(world& w, node& in) {
    error_code code;
    queue_turn none;
    const enter_options short_wait{.wait = 100ms};
    run(w, in, enter_code(queue{*in.session, "x"}, short_wait, code, none));
    CHECK(code == errc::wait_timeout);
}

}  // namespace

TEST_CASE("the dead before us may be as many as one page of rows holds") {
    world w;
    auto a = std::make_unique<node>(w, 1);
    node b(w, 2);
    constexpr std::size_t rows_of_a_page = 8;
    std::vector<queue_turn> turns(rows_of_a_page);
    std::vector<running> entering;
    for (auto& each : turns) {
        entering.emplace_back(w, *a, enter(queue{*a->session, "x"}, each));
        w.scheduler.run_for(2s);
    }
    REQUIRE(ticket_rows(w, "x").size() == rows_of_a_page);
    turns.front() = {};
    a->crash();
    error_code code;
    queue_turn mine;
    run(w, b, enter_code(queue{*b.session, "x"}, {}, code, mine));
    CHECK(code == error_code());
    CHECK(mine.held());
}

TEST_CASE("a dead head costs the first who lives one lease, however many gave up between them") {
    world w;
    auto a = std::make_unique<node>(w, 1);
    node b(w, 2);
    node c(w, 3);
    queue_turn first;
    queue_turn mine;
    run(w, *a, enter(queue{*a->session, "x"}, first));
    for (int i = 0; i < 20; ++i) give_up_soon(w, b);
    running waits(w, c, enter(queue{*c.session, "x"}, mine));
    w.scheduler.run_for(60s);  // two looks
    first = {};
    a->crash();
    const auto died = w.scheduler.now();
    waits.wait(60s);
    CHECK(w.scheduler.now() - died < 10s + 2 * 1250ms + 500ms);
    CHECK(mine.held());
    run(w, c, leave(mine));
    w.scheduler.run_for(5s);
    CHECK(nothing_left(w, "x"));
}

TEST_CASE("a row that came late is looked for no longer") {
    world w;
    node a(w, 1);
    node b(w, 2);
    node c(w, 3);
    queue_turn first;
    queue_turn second;
    queue_turn third;
    c.network->set_plan([](const any_request&, const call_options&) { return fault{.after = 5ms}; });
    run(w, a, enter(queue{*a.session, "x"}, first));  // written down when it has lasted a second
    running next(w, b, enter(queue{*b.session, "x"}, second));
    w.scheduler.run_for(10ms);
    running behind(w, c, enter(queue{*c.session, "x"}, third));
    w.scheduler.run_for(5s);
    c.network->clear_log();
    w.scheduler.run_for(60s);
    const auto reads = std::count_if(c.network->log().begin(), c.network->log().end(), [](const auto& entry) {
        return entry->operation == "Query" || (entry->operation == "GetItem" && !entry->key.starts_with("session#"));
    });
    CHECK(reads > 50);
    CHECK(reads < 80);
    run(w, a, leave(first));
    next.wait(5s);
    run(w, b, leave(second));
    behind.wait(5s);
}

TEST_CASE("an entry into several queues is not taken by its own process for one that nobody wants") {
    world w;
    node a(w, 1);
    std::vector<queue_turn> both;
    queue_turn next;
    a.network->set_plan(when(draws_together, {.after = 900ms}));
    const std::vector<queue> queues{queue{*a.session, "x"}, queue{*a.session, "y"}};
    running together(w, a, enter_together(queues, both));
    w.scheduler.run_for(200ms);
    // It is written down already, and only we do not know it yet.
    REQUIRE(ticket_rows(w, "y").size() == 1);
    running alone(w, a, enter(queue{*a.session, "y"}, next));
    together.wait(10s);
    w.scheduler.run_for(5s);
    CHECK(both.at(1).held());
    CHECK_FALSE(next);
    both.clear();
    alone.wait(10s);
    CHECK(next.held());
}

TEST_CASE(
    "a void ticket stays written down until it is passed, even if a late leave did less than the last one asked") {
    world w;
    node a(w, 1);
    queue_turn first;
    run(w, a, enter(queue{*a.session, "x"}, first));
    error_code code;
    queue_turn second;
    const enter_options short_wait{.wait = 700ms};
    running waits(w, a, enter_code(queue{*a.session, "x"}, short_wait, code, second));
    w.scheduler.run_for(100ms);
    // The leave is under way for long, its copies are not let in, and nobody can look at the rows meanwhile.
    int sent_leaves = 0;
    a.network->set_plan([&](const any_request& request, const call_options&) {
        if (std::holds_alternative<query_request>(request)) return fault{.what = fault::kind::lose_request};
        if (!leaves(request)) return fault{};
        if (++sent_leaves == 1) return fault{.before = 2500ms};
        if (w.scheduler.now() >= time_point(2700ms)) return fault{};
        return fault{.what = fault::kind::fail, .answer = failure(errc::throttled, outcome::not_applied)};
    });
    running leaving(w, a, leave(first));
    waits.wait(5s);
    w.scheduler.run_for(10s);
    const auto head = head_of(w, "x").value();
    REQUIRE(find_integer(head, "passed").value() == find_integer(head, "tail").value() - 1);
    CHECK(ticket_rows(w, "x").size() == 1);
}

TEST_CASE("a turn that somebody ended by hand is told to be lost as soon as that is seen") {
    world w;
    node a(w, 1);
    queue_turn first;
    queue_turn second;
    run(w, a, enter(queue{*a.session, "x"}, first));
    running told(w, a, wait_for_loss(first));
    w.scheduler.run_for(2s);
    update_item_request edit{.table_name = table, .key = {{"pk", "queue#x"}, {"sk", "/"}}};
    edit.update_expression = "SET passed = tail";
    w.apply(std::move(edit));
    run(w, a, enter(queue{*a.session, "x"}, second));
    CHECK_FALSE(first.held());
    told.wait(1s);
    CHECK(a.session->counters().leases_held == 1);
    run(w, a, leave(second));
    CHECK(a.session->counters().leases_held == 0);
}

TEST_CASE("whoever waits behind many processes that died at once finds them out together") {
    world w;
    constexpr unsigned dead = 11;
    std::vector<std::unique_ptr<node>> victims;
    std::vector<queue_turn> turns(dead);
    std::vector<running> entering;
    for (unsigned i = 0; i < dead; ++i) {
        victims.push_back(std::make_unique<node>(w, i + 1));
        entering.emplace_back(w, *victims[i], enter(queue{*victims[i]->session, "x"}, turns[i]));
        w.scheduler.run_for(2s);
    }
    node last(w, dead + 1);
    queue_turn mine;
    running waits(w, last, enter(queue{*last.session, "x"}, mine));
    w.scheduler.run_for(20s);
    turns.clear();
    for (auto& each : victims) each->crash();
    const auto died = w.scheduler.now();
    waits.wait(600s);
    CHECK(mine.held());
    CHECK(w.scheduler.now() - died < 75s);  // one lease for each would be 110 s
}

TEST_CASE("whoever stands behind nothing but the dead is served in time and for requests that their number tells") {
    // Rows that a backup brought back, of so many processes that are gone, each with as many tickets.
    const auto behind = [](int processes, int tickets_of_each) {
        world w;
        node next(w, 1);
        next.network->set_plan(
            [](const any_request&, const call_options&) { return fault{.before = 2ms, .after = 2ms}; });
        item head{{"pk", "queue#x"}, {"sk", "/"}, {"v", 1}, {"last", "theirs"}};
        head.emplace("passed", 1000);
        head.emplace("tail", 1000 + processes * tickets_of_each);
        w.apply(put_item_request{.table_name = table, .new_item = head});
        for (int i = 0; i < processes * tickets_of_each; ++i) {
            const auto session = "gone-" + std::to_string(i % processes);
            put_in_line(w, "x", 1001 + i, session);
            // As its last heartbeat left it.
            w.apply(put_item_request{.table_name = table,
                                     .new_item = {{"pk", "session#" + session},
                                                  {"sk", "-"},
                                                  {"v", 1},
                                                  {"beat", 7},
                                                  {"lease", 10'000},
                                                  {"state", "alive"}}});
        }
        queue_turn mine;
        run(w, next, enter(queue{*next.session, "x"}, mine));
        const auto waited = w.scheduler.now().time_since_epoch();
        CHECK(mine.held());
        return std::pair(waited, next.network->log().size());
    };
    const auto [one, few] = behind(1, 170);
    CHECK(one < 10s + 4s);
    CHECK(few < 40);
    const auto [some, more] = behind(12, 15);
    CHECK(some < 1s + 4 * 11s);
    CHECK(more < 150);
    const auto [many, most] = behind(95, 1);
    CHECK(many < 1s + 10 * 11s);
    CHECK(most < 95 * 4 + 150);
}

TEST_CASE("whose next ticket stands far behind looks who stands before it, as whoever comes anew") {
    world w;
    auto a = std::make_unique<node>(w, 1);
    node b(w, 2);
    node c(w, 3);
    queue_turn held;
    queue_turn early;
    queue_turn late;
    run(w, b, enter(queue{*b.session, "x"}, held));
    w.scheduler.run_for(2s);
    running soon(w, c, enter(queue{*c.session, "x"}, early));
    w.scheduler.run_for(1s);
    std::vector<queue_turn> turns(90);
    std::vector<running> entering;
    for (auto& each : turns) entering.emplace_back(w, *a, enter(queue{*a->session, "x"}, each));
    w.scheduler.run_for(1s);
    running last(w, c, enter(queue{*c.session, "x"}, late));
    w.scheduler.run_for(20s);
    run(w, b, leave(held));
    soon.wait(1s);
    run(w, c, leave(early));
    a->process->kill();
    const auto died = w.scheduler.now();
    last.wait(5min);
    CHECK(w.scheduler.now() - died < 10s + 5s);
}

TEST_CASE("a crowd that is looked at in passing makes nobody forget who is being timed") {
    world w;
    auto a = std::make_unique<node>(w, 1);
    node b(w, 2);
    constexpr std::int64_t crowd = 10'050;  // more than are remembered
    w.apply(put_item_request{
        .table_name = table,
        .new_item = {{"pk", "queue#y"}, {"sk", "/"}, {"v", 1}, {"last", "t"}, {"passed", 0}, {"tail", crowd}}});
    for (std::int64_t ticket = 1; ticket <= crowd; ++ticket) put_in_line(w, "y", ticket, "s" + std::to_string(ticket));
    queue_turn first;
    queue_turn mine;
    run(w, *a, enter(queue{*a->session, "x"}, first));
    running waits(w, b, enter(queue{*b.session, "x"}, mine));
    w.scheduler.run_for(5s);
    first = {};
    a->crash();
    const auto died = w.scheduler.now();
    for (int i = 0; i < 3; ++i) {
        w.scheduler.run_for(3s);
        queue_info info;
        run(w, b, inspect(queue{*b.session, "y"}, info));
        CHECK(info.waiting.size() == crowd - 1);
    }
    waits.wait(30s);
    CHECK(w.scheduler.now() - died < 10s + 2 * 1250ms + 500ms);
}
