// Answers that come late, and tables that go back: what was seen before never counts for more than what was seen since.
#include "queue_callers.hpp"

#include <dynalease/lock.hpp>

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

using testing::fault;

bool reads_head(const any_request& request) {
    const auto* get = std::get_if<get_item_request>(&request);
    return get && find_string(get->key, "pk")->starts_with("queue#");
}

testing::fault_plan with_slow_looks(std::chrono::nanoseconds slow) {
    return [slow](const any_request& request, const call_options&) {
        if (reads_head(request)) return fault{.before = 1ms, .after = slow};
        return fault{.before = 2500us, .after = 2500us};
    };
}

asio::awaitable<void> touch(lock target) {
    auto guard = co_await target.acquire();
    co_await guard.release();
}

asio::awaitable<void> position(queue target, std::size_t& into) {
    into = co_await target.position();
}

/// How often this process asked for a ticket of "x".
std::size_t draws(const node& from) {
    std::size_t count = 0;
    for (const auto& entry : from.network->log()) {
        if (entry->operation == "UpdateItem" && entry->key.starts_with("queue#x")) ++count;
    }
    return count;
}

}  // namespace

TEST_CASE("an old answer that there is no such queue sends nobody to the end of it") {
    for (const bool inspects : {true, false}) {
        world w;
        node a(w, 1);
        node b(w, 2);
        node c(w, 3);
        run(w, b, touch(lock{*b.session, "opens the session"}));
        b.network->set_plan(with_slow_looks(400ms));
        queue_info info;
        std::size_t place = 0;
        const queue mine{*b.session, "x"};
        running looks(w, b, inspects ? inspect(mine, info) : position(mine, place));
        w.scheduler.run_for(2ms);
        queue_turn first;
        queue_turn second;
        queue_turn third;
        run(w, a, enter(queue{*a.session, "x"}, first));
        running b_waits(w, b, enter(mine, second));
        w.scheduler.run_for(50ms);
        running c_waits(w, c, enter(queue{*c.session, "x"}, third));
        looks.wait(1s);
        w.scheduler.run_for(2s);
        CHECK(draws(b) == 1);
        run(w, a, leave(first));
        b_waits.wait(5s);
        CHECK_FALSE(c_waits.done());
        CHECK(second.ticket() == first.ticket() + 1);
        run(w, b, leave(second));
        c_waits.wait(5s);
    }
}

TEST_CASE("a head that was deleted is found gone by those who wait, and they draw again") {
    world w;
    node a(w, 1);
    node b(w, 2);
    queue_turn first;
    queue_turn second;
    run(w, a, enter(queue{*a.session, "x"}, first));
    running waits(w, b, enter(queue{*b.session, "x"}, second));
    w.scheduler.run_for(1s);
    w.apply(delete_item_request{.table_name = table, .key = {{"pk", "queue#x"}, {"sk", "/"}}});
    waits.wait(10s);
    CHECK(second.valid());
    CHECK(draws(b) == 2);
}

namespace {

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
        w.simulated.restore(table, backup);
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
    w.simulated.restore(table, backup);
    b.network->clear_log();
    w.scheduler.run_for(5s);
    CHECK(draws(b) <= turns.size() + 2);
    error_code code;
    queue_turn also;
    running late(w, a, enter_code(queue{*a.session, "x"}, {}, code, also));
    w.scheduler.run_for(1s);
    CHECK_FALSE(held.valid());
    for (std::size_t i = 0; i < turns.size(); ++i) {
        waits[i].wait(10s);
        CHECK(turns[i].valid());
        run(w, b, leave(turns[i]));
    }
    late.wait(10s);
    CHECK(also.valid());
    run(w, a, leave(also));
    w.scheduler.run_for(5s);
    CHECK(nothing_left(w, "x"));
}

TEST_CASE("whoever loses its place again and again draws tickets at a pace") {
    world w;
    node a(w, 1);
    node b(w, 2);
    queue_turn first;
    queue_turn second;
    run(w, a, enter(queue{*a.session, "x"}, first));
    running waits(w, b, enter(queue{*b.session, "x"}, second));
    w.scheduler.run_for(1s);
    b.network->clear_log();
    // Somebody deletes the head as fast as it is made.
    for (int i = 0; i < 1000; ++i) {
        w.apply(delete_item_request{.table_name = table, .key = {{"pk", "queue#x"}, {"sk", "/"}}});
        w.apply(put_item_request{.table_name = table,
                                 .new_item = {{"pk", "queue#x"}, {"sk", "/"}, {"v", 1}, {"tail", 9}, {"passed", 3}}});
        w.scheduler.run_for(10ms);
    }
    CHECK(draws(b) < 40);
    waits.wait(1min);
}
