// Tables that go back to a backup under those who hold, wait and leave.
// SPDX-License-Identifier: BSL-1.0
#include "queue_stops.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <iterator>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

/// The rows of the sessions stay as they are, which would end with their next heartbeats: what the queues themselves
/// see.
void restore_queues(world& w, const std::vector<item>& backup) {
    const auto is_of_session = [](const item& row) { return find_string(row, "pk")->starts_with("session#"); };
    auto rows = w.simulated.image(table);
    std::erase_if(rows, [&](const item& row) { return !is_of_session(row); });
    std::ranges::copy_if(backup, std::back_inserter(rows), [&](const item& row) { return !is_of_session(row); });
    w.simulated.restore(table, rows);
}

asio::awaitable<void> turns_over(queue target, int count) {
    for (int i = 0; i < count; ++i) {
        auto turn = co_await target.enter();
        co_await turn.leave();
    }
}

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

namespace {

/// Four processes that know the queue, and a backup of it when it was free.
struct backed_up {
    backed_up() {
        for (auto* each : {&a, &b, &c, &d}) run(w, *each, turns_over(queue{*each->session, "x"}, 1));
        w.scheduler.run_for(5s);
        backup = w.simulated.image(table);
    }
    void restore() { restore_queues(w, backup); }
    queue in(node& of) { return {*of.session, "x"}; }

    world w;
    node a{w, 1};
    node b{w, 2};
    node c{w, 3};
    node d{w, 4};
    decltype(w.simulated.image(table)) backup;
};

}  // namespace

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

namespace {

/// The turn of c lasts while d waits behind it for that time, and d has the next.
void another_waits_behind(backed_up& past, queue_turn& present, std::chrono::milliseconds time) {
    auto& [w, a, b, c, d, backup] = past;
    queue_turn next;
    running behind(w, d, enter(past.in(d), next));
    w.scheduler.run_for(time);
    CHECK(present.held());
    CHECK_FALSE(next);
    run(w, c, leave(present));
    behind.wait(5s);
    run(w, d, leave(next));
}

asio::awaitable<void> wait_in_vain(std::vector<queue> queues, std::chrono::nanoseconds patience) {
    const enter_options briefly{.wait = patience};
    error_code code;
    if (queues.size() == 1) {
        code = std::get<0>(co_await queues.front().enter(briefly, asio::as_tuple(asio::deferred)));
    } else {
        code = std::get<0>(co_await enter_all(queues, briefly, asio::as_tuple(asio::deferred)));
    }
    CHECK(code == errc::wait_timeout);
}

}  // namespace

TEST_CASE("a place given up before it is seen that a backup came back takes no turn from whom it was issued to again") {
    for (const bool jointly : {false, true}) {
        backed_up past;
        auto& [w, a, b, c, d, backup] = past;
        queue_turn held;
        queue_turn present;
        run(w, a, enter(past.in(a), held));
        const auto given_up = held.ticket() + 1;
        std::vector<queue> queues{past.in(b)};
        if (jointly) {
            // Its number is given_up + 3, and covers those before.
            w.apply(put_item_request{
                .table_name = table,
                .new_item = {{"pk", "queue#y"}, {"sk", "/"}, {"v", 1}, {"tail", given_up + 2}, {"passed", 0}}});
            queues.emplace_back(*b.session, "y");
        }
        running waits(w, b, wait_in_vain(queues, 2s));
        w.scheduler.run_for(1s);
        b.network->set_plan(throttle(reads_head));
        past.restore();
        waits.wait(5s);
        w.scheduler.run_for(1s);
        run(w, c, turns_over(past.in(c), 1));
        run(w, c, enter(past.in(c), present));
        CHECK(present.ticket() == given_up);
        for (int i = 0; i < 4; ++i) run(w, d, wait_in_vain({past.in(d)}, 50ms));
        another_waits_behind(past, present, 600ms);  // its turn is not written down yet
    }
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

TEST_CASE("whoever is about to write its ticket down when a backup comes back draws another") {
    backed_up past;
    auto& [w, a, b, c, d, backup] = past;
    queue_turn held;
    queue_turn mine;
    queue_turn theirs;
    run(w, a, enter(past.in(a), held));
    w.scheduler.run_for(2s);
    b.network->set_plan(throttle(writes_row));
    running waits(w, b, enter(past.in(b), mine));
    w.scheduler.run_for(100ms);
    past.restore();
    queue_info seen;
    run(w, b, inspect(past.in(b), seen));
    b.network->set_plan({});
    w.scheduler.run_for(10s);
    CHECK(draws(b) >= 2);
    CHECK(mine.held());
    running behind(w, c, enter(past.in(c), theirs));
    w.scheduler.run_for(1s);
    CHECK_FALSE(theirs);
    run(w, b, leave(mine));
    behind.wait(5s);
    run(w, c, leave(theirs));
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

TEST_CASE("a place whose row may never have been written is given up only as far as its number is still its own") {
    for (const bool row_is_lost : {false, true}) {
        backed_up past;
        auto& [w, a, b, c, d, backup] = past;
        queue_turn held;
        queue_turn present;
        run(w, a, enter(past.in(a), held));
        b.network->set_plan([row_is_lost](const any_request& request, const call_options& options) {
            if (!row_is_lost) return throttle(writes_row)(request, options);
            return testing::fault{.what = writes_row(request) ? testing::fault::kind::lose_request
                                                              : testing::fault::kind::pass};
        });
        error_code code;
        queue_turn none;
        running waits(w, b, enter_code(past.in(b), {.wait = 2s}, code, none));
        w.scheduler.run_for(500ms);
        past.restore();
        run(w, c, turns_over(past.in(c), 1));
        w.scheduler.run_for(1s);
        run(w, c, enter(past.in(c), present));
        b.network->set_plan({});
        waits.wait(5s);
        another_waits_behind(past, present, 900ms);
    }
}

TEST_CASE("what could not be sent while a backup came back is not sent again for a number that is another's since") {
    for (const bool held_turn : {false, true}) {
        backed_up past;
        auto& [w, a, b, c, d, backup] = past;
        queue_turn held;
        queue_turn present;
        const auto passes = [](const any_request& request) {
            const auto* update = std::get_if<update_item_request>(&request);
            return update && update->values.contains(":x");
        };
        auto& leaver = held_turn ? a : b;
        run(w, a, enter(past.in(a), held));
        if (!held_turn) run(w, b, wait_in_vain({past.in(b)}, 1s));
        w.scheduler.run_for(1s);
        leaver.network->set_plan(throttle(passes));
        const auto number = held.ticket() + (held_turn ? 0 : 1);
        held = {};
        w.scheduler.run_for(100ms);
        past.restore();
        if (!held_turn) run(w, c, turns_over(past.in(c), 1));
        run(w, c, enter(past.in(c), present));
        CHECK(present.ticket() == number);
        leaver.network->set_plan({});
        w.scheduler.run_for(700ms);
        another_waits_behind(past, present, 200ms);
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
