// Tables that go back to a backup under those who hold, wait and leave.
// SPDX-License-Identifier: BSL-1.0
#include "queue_backups.hpp"

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

/// A backup that is `turns` turns old comes back, under two processes that have seen them all.
struct restored {
    explicit restored(int turns) {
        for (auto* each : {&a, &b}) run(w, *each, turns_over(queue{*each->session, "x"}, 1));
        w.scheduler.run_for(5s);
        const auto backup = w.simulated.image(table);
        run(w, a, turns_over(queue{*a.session, "x"}, turns));
        run(w, b, turns_over(queue{*b.session, "x"}, 1));
        w.scheduler.run_for(5s);
        restore_queues(w, backup);
        w.scheduler.run_for(5s);
        b.network->clear_log();
    }

    world w;
    node a{w, 1};
    node b{w, 2};
};

}  // namespace

TEST_CASE("after a backup was restored, those who enter wait for each other, whatever the counter had come to") {
    restored past(3000);
    auto& [w, a, b] = past;
    queue_turn first;
    queue_turn second;
    run(w, a, enter(queue{*a.session, "x"}, first));
    running waits(w, b, enter(queue{*b.session, "x"}, second));
    w.scheduler.run_for(5s);
    CHECK_FALSE(waits.done());
    CHECK(draws(b) == 1);
    CHECK(ticket_rows(w, "x").size() == 2);
    CHECK(second.ticket() == 0);
    run(w, a, leave(first));
    waits.wait(1s);
    CHECK(second.ticket() == first.ticket() + 1);
    run(w, b, leave(second));
    w.scheduler.run_for(5s);
    CHECK(nothing_left(w, "x"));
}

TEST_CASE("whoever holds or waits when a backup comes back is told, or draws again, and everybody is served") {
    world w;
    node a(w, 1);
    node b(w, 2);
    for (auto* each : {&a, &b}) run(w, *each, turns_over(queue{*each->session, "x"}, 1));
    w.scheduler.run_for(5s);
    const auto backup = w.simulated.image(table);
    run(w, a, turns_over(queue{*a.session, "x"}, 500));
    queue_turn held;
    run(w, a, enter(queue{*a.session, "x"}, held));
    std::vector<queue_turn> turns(20);
    std::vector<running> waits;
    for (auto& each : turns) waits.emplace_back(w, b, enter(queue{*b.session, "x"}, each));
    w.scheduler.run_for(3s);
    restore_queues(w, backup);
    b.network->clear_log();
    w.scheduler.run_for(5s);
    CHECK(draws(b) <= turns.size() + 2);
    error_code code;
    queue_turn also;
    running late(w, a, enter_code(queue{*a.session, "x"}, {}, code, also));
    w.scheduler.run_for(1s);
    CHECK_FALSE(held.held());
    for (std::size_t i = 0; i < turns.size(); ++i) {
        waits[i].wait(10s);
        CHECK(turns[i].held());
        run(w, b, leave(turns[i]));
    }
    late.wait(10s);
    CHECK(also.held());
    run(w, a, leave(also));
    w.scheduler.run_for(5s);
    CHECK(nothing_left(w, "x"));
}

TEST_CASE("a number that was issued again after a backup came back is left to whom it was issued") {
    backed_up past;
    auto& [w, a, b, c, d, backup] = past;
    queue_turn held;
    queue_turn former[2];
    queue_turn present;
    queue_turn next;
    run(w, a, enter(past.in(a), held));
    running one(w, b, enter(past.in(b), former[0]));
    running other(w, b, enter(past.in(b), former[1]));
    w.scheduler.run_for(3s);
    b.network->set_plan(throttle(reads_head));
    past.restore();
    run(w, c, enter(past.in(c), present));
    CHECK(present.ticket() == held.ticket());
    running waits(w, d, enter(past.in(d), next));
    w.scheduler.run_for(1s);
    b.network->set_plan({});
    w.scheduler.run_for(3s);
    CHECK(present.held());
    run(w, c, leave(present));
    waits.wait(1s);
    CHECK(next.ticket() == present.ticket() + 1);
    w.scheduler.run_for(5s);
    CHECK(next.held());
    CHECK_FALSE(former[0].held());
    run(w, d, leave(next));
    one.wait(5s);
    run(w, b, leave(former[0]));
    other.wait(5s);
    run(w, b, leave(former[1]));
    held = {};
    w.scheduler.run_for(5s);
    CHECK(nothing_left(w, "x"));
}

TEST_CASE("several queues are entered beyond rows that stand where a backup came back") {
    for (const bool tries : {false, true}) {
        world w;
        node a(w, 1);
        for (const auto* each : {"y", "x"}) run(w, a, turns_over(queue{*a.session, each}, 1));
        w.scheduler.run_for(5s);
        const auto head = *find_integer(*head_of(w, "x"), "tail");
        for (int i = 1; i <= 100; ++i) put_in_line(w, "x", head + i, "of-old");
        std::vector<queue_turn> turns;
        const std::vector<queue> queues{{*a.session, "x"}, {*a.session, "y"}};
        enter_options options;
        if (tries) options.wait = 0s;
        const auto enter_both = [&]() -> asio::awaitable<void> { turns = co_await enter_all(queues, options); };
        running waits(w, a, enter_both());
        waits.wait(5s);
        REQUIRE(turns.size() == 2);
        CHECK(turns.front().ticket() > head + 100);
        CHECK(sent(a, "TransactWriteItems") <= 9);
        for (auto& turn : turns) run(w, a, leave(turn));
    }
}

TEST_CASE("a turn whose number was issued again after a backup came back is lost, and ends nobody else's") {
    backed_up past;
    auto& [w, a, b, c, d, backup] = past;
    queue_turn held;
    queue_turn next;
    queue_turn present;
    run(w, a, enter(past.in(a), held));
    running waits(w, a, enter(past.in(a), next));
    w.scheduler.run_for(3s);
    past.restore();
    run(w, c, enter(past.in(c), present));
    CHECK(present.ticket() == held.ticket());
    queue_info seen;
    run(w, a, inspect(past.in(a), seen));
    CHECK_FALSE(held.held());
    held = {};
    w.scheduler.run_for(10s);
    CHECK(present.held());
    CHECK_FALSE(next);
    run(w, c, leave(present));
    waits.wait(5s);
    run(w, a, leave(next));
    w.scheduler.run_for(5s);
    CHECK(nothing_left(w, "x"));
}

TEST_CASE("a number that is issued again to another caller of the process that waits with it is known as another") {
    for (const bool gives_up : {false, true}) {
        backed_up past;
        auto& [w, a, b, c, d, backup] = past;
        queue_turn held;
        run(w, a, enter(past.in(a), held));
        w.scheduler.run_for(2s);
        backup = w.simulated.image(table);
        running one(w, b, gives_up ? wait_in_vain({past.in(b)}, 5s) : turns_over(past.in(b), 1));
        w.scheduler.run_for(300ms);
        past.restore();
        running other(w, b, turns_over(past.in(b), 1));
        running behind(w, c, turns_over(past.in(c), 1));
        w.scheduler.run_for(10s);
        CHECK(one.done() == gives_up);
        CHECK_FALSE(other.done());
        run(w, a, leave(held));
        for (auto* each : {&one, &other, &behind}) each->wait(10s);
        w.scheduler.run_for(5s);
        CHECK(nothing_left(w, "x"));
    }
}

TEST_CASE(
    "a place that a backup brought back of a session that lives, and is idle here, blocks nobody for longer than a "
    "lease") {
    backed_up past;
    auto& [w, a, b, c, d, backup] = past;
    queue_turn held;
    run(w, a, enter(past.in(a), held));
    w.scheduler.run_for(3s);
    backup = w.simulated.image(table);
    run(w, a, leave(held));
    w.scheduler.run_for(3s);
    w.simulated.restore(table, backup);
    running waits(w, c, turns_over(past.in(c), 1));
    waits.wait(20s);
    CHECK(a.session->state() != session_state::live);
}
