// Answers that come late, and rows that go: what was seen before never counts for more than what was seen since.
// SPDX-License-Identifier: BSL-1.0
#include "queue_stops.hpp"

#include <dynalease/lock.hpp>

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

using testing::fault;

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
    CHECK(second.held());
    CHECK(draws(b) == 2);
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

TEST_CASE("whoever is refused a ticket again and again asks at a pace") {
    world w;
    node a(w, 1);
    queue_turn mine;
    run(w, a, touch(lock{*a.session, "opens the session"}));
    // As where a process that was cloned from this one draws under the same names.
    a.network->set_plan([](const any_request& request, const call_options&) {
        const auto* update = std::get_if<update_item_request>(&request);
        if (!update || !update->values.contains(":attempt")) return fault{};
        fault fate{.what = fault::kind::fail, .answer = failure(errc::condition_failed, outcome::not_applied)};
        fate.before = 1ms;
        fate.answer.current = item{{"v", 1}, {"tail", 5}, {"passed", 4}, {"last", update->values.at(":attempt")}};
        return fate;
    });
    running waits(w, a, enter(queue{*a.session, "x"}, mine));
    w.scheduler.run_for(10s);
    CHECK(draws(a) < 40);
    a.network->set_plan({});
    waits.wait(1min);
}

TEST_CASE("a row that comes after its ticket was buried, passed over and forgotten gives no turn") {
    world w;
    node a(w, 1);
    node b(w, 2);
    queue_turn first;
    queue_turn second;
    queue_turn third;
    run(w, a, enter(queue{*a.session, "x"}, first));
    a.network->set_plan(throttle(writes_row));
    running late(w, a, enter(queue{*a.session, "x"}, second));
    w.scheduler.run_for(100ms);
    run(w, a, leave(first));  // the last that it sees of the head for now: its own ticket is the next
    run(w, b, enter(queue{*b.session, "x"}, third));
    CHECK(third.ticket() == first.ticket() + 2);
    w.scheduler.run_for(4s);
    REQUIRE(third.held());
    a.network->set_plan({});
    w.scheduler.run_for(4s);
    CHECK(third.held());
    CHECK_FALSE(second);
    run(w, b, leave(third));
    late.wait(5s);
    CHECK(second.ticket() == third.ticket() + 1);
    run(w, a, leave(second));
    w.scheduler.run_for(5s);
    CHECK(nothing_left(w, "x"));
}
