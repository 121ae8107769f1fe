// What locks cost when things go badly: requests while nothing moves, time by the number of callers.
// SPDX-License-Identifier: BSL-1.0
#include "support/lock_steps.hpp"
#include "support/processor_time.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

using namespace dynalease;
using namespace dynalease::tests;
using kind = testing::fault::kind;

namespace {

testing::virtual_clock_options ahead_by(std::chrono::milliseconds time) {
    testing::virtual_clock_options made;
    made.wall += time;
    return made;
}

std::size_t count(const node& of, std::string_view operation, std::string_view key) {
    return static_cast<std::size_t>(
        std::count_if(of.network->log().begin(), of.network->log().end(), [&](const auto& entry) {
            return entry->operation == operation && entry->key.find(key) != std::string::npos;
        }));
}

/// Takes and gives back without a rest, until `over`.
asio::awaitable<void> without_rest(node& in, lock target, std::chrono::nanoseconds hold, const bool& over) {
    while (!over) {
        auto guard = co_await target.acquire();
        if (hold > 0ns) co_await sleep(in, hold);
        co_await guard.release();
    }
}

asio::awaitable<void> once(lock target) {
    auto guard = co_await target.acquire();
    co_await guard.release();
}

asio::awaitable<void> take_in_time(lock target, std::chrono::nanoseconds wait, std::size_t& ended) {
    auto done = co_await target.acquire({.wait = wait}, as_tuple);
    if (std::get<0>(done) == errc::wait_timeout) ++ended;
}

}  // namespace

TEST_CASE("a process whose clock is behind joins the line of one that hands on without a rest") {
    for (const auto hold : {0us, 3000us}) {
        for (const auto round_trip : {8ms, 16ms}) {
            world w(1);
            node a(w, 1, ahead_by(50ms));
            node b(w, 2);
            a.network->set_plan(latency(2ms));
            b.network->set_plan(latency(round_trip / 2));
            bool over = false;
            std::vector<std::unique_ptr<running>> loops;
            for (int i = 0; i < 10; ++i) {
                loops.push_back(
                    std::make_unique<running>(w, a, without_rest(a, lock{*a.session, "x"}, hold, over)));
            }
            w.scheduler.run_for(2s);
            lock_guard got;
            running waits(w, b, take(b, "x", got));
            INFO("hold " << hold.count() << " us, round trip " << round_trip.count() << " ms");
            CHECK_NOTHROW(waits.wait(2s));
            CHECK(count(b, "UpdateItem", "lock#x") <= 8);
            over = true;
            got = {};
            w.scheduler.run_for(10s);
        }
    }
}

TEST_CASE("processes whose clocks are behind write to a busy lock only so often, and all of them get it") {
    world w(1);
    node a(w, 1, ahead_by(50ms));
    a.network->set_plan(latency(2ms));
    bool over = false;
    std::vector<std::unique_ptr<running>> all;
    for (int i = 0; i < 10; ++i) {
        all.push_back(std::make_unique<running>(w, a, without_rest(a, lock{*a.session, "x"}, 0ns, over)));
    }
    w.scheduler.run_for(1s);
    constexpr std::size_t waiting = 20;
    std::vector<std::unique_ptr<node>> others;
    std::vector<std::unique_ptr<running>> waits;
    for (std::size_t i = 0; i < waiting; ++i) {
        others.push_back(std::make_unique<node>(w, 10 + i));
        others[i]->network->set_plan(latency(4ms));
        waits.push_back(std::make_unique<running>(w, *others[i], once(lock{*others[i]->session, "x"})));
    }
    w.scheduler.run_for(3s);
    std::size_t writes = 0;
    for (const auto& each : others) writes += count(*each, "UpdateItem", "lock#x");
    CHECK(writes <= waiting * 12);
    for (auto& each : waits) CHECK_NOTHROW(each->wait(60s));
    over = true;
    w.scheduler.run_for(30s);
}

TEST_CASE("the longest poll interval keeps its place in the line") {
    world w(1);
    node a(w, 1);
    node b(w, 2);
    CHECK_THROWS_AS((lock{*b.session, "y", {.poll_interval = 1001ms}}), error);
    lock slow{*b.session, "x", {.poll_interval = 1000ms}};
    for (auto* each : {&a, &b}) each->network->set_plan(latency(20ms));
    node c(w, 3);
    c.network->set_plan(latency(20ms));
    bool over = false;
    std::vector<std::unique_ptr<running>> loops;
    for (auto* each : {&a, &c}) {
        for (int i = 0; i < 3; ++i) {
            loops.push_back(std::make_unique<running>(w, *each, without_rest(*each, lock{*each->session, "x"}, 50ms, over)));
        }
    }
    w.scheduler.run_for(1s);
    for (int i = 0; i < 10; ++i) {
        lock_guard got;
        running waits(w, b, take(slow, got));
        CHECK_NOTHROW(waits.wait(30s));
        got = {};
    }
    over = true;
    w.scheduler.run_for(10s);
}

TEST_CASE("waiters that end together cost as much each, however many they are", "[effort]") {
    const auto end_together = [](std::size_t waiting) {
        return processor_seconds([waiting] {
            world w;
            node a(w);
            lock target{*a.session, "x"};
            lock_guard held;
            run(w, a, take(target, held));
            std::size_t ended = 0;
            std::vector<std::unique_ptr<running>> waits;
            for (std::size_t i = 0; i < waiting; ++i) {
                waits.push_back(std::make_unique<running>(w, a, take_in_time(target, 5s, ended)));
            }
            w.scheduler.run_for(6s);
            REQUIRE(ended == waiting);
        });
    };
    // The least of three: what else the machine does only adds. Were each to look at all the others, it would be 16
    // times; four times as much memory does not fit the caches of a busy machine as well.
    const auto least = [&](std::size_t waiting) {
        return std::min({end_together(waiting), end_together(waiting), end_together(waiting)});
    };
    CHECK(least(12'000) < 12 * least(3'000));
}

TEST_CASE("a rejection that is nobody's fault is told to all by one request, whatever they want written") {
    for (const bool of_data : {false, true}) {
        for (const auto code : {errc::access_denied, errc::expired_credentials}) {
            world w;
            node a(w);
            lock_guard other;
            run(w, a, take(a, "other", other));
            a.network->clear_log();
            a.network->set_plan(lock_writes_meet(std::vector<testing::fault>(
                200, {.what = kind::fail, .answer = failure(code, outcome::not_applied)})));
            std::vector<error_code> told(100);
            std::vector<lock_guard> guards(100);
            std::vector<std::unique_ptr<running>> waits;
            for (std::size_t i = 0; i < 100; ++i) {
                acquire_options options;
                if (of_data) options.data.emplace("caller", static_cast<std::int64_t>(i));
                auto wait = take_told(lock{*a.session, "x"}, std::move(options), guards[i], told[i]);
                waits.push_back(std::make_unique<running>(w, a, std::move(wait)));
            }
            for (auto& each : waits) each->wait(1s);
            CHECK(std::count(told.begin(), told.end(), make_error_code(code)) == 100);
            CHECK(a.requests("lock#x") == 1);
        }
    }
}

TEST_CASE("a lock that was seen held is looked at before it is tried again") {
    world w;
    node a(w, 1);
    node b(w, 2);
    lock_guard held;
    lock_guard guard;
    run(w, a, take(a, "x", held));
    run(w, b, try_take(lock{*b.session, "x"}, guard));
    for (int i = 0; i < 5; ++i) {
        w.scheduler.run_for(5s);
        run(w, b, try_take(lock{*b.session, "x"}, guard));
    }
    CHECK(count(b, "UpdateItem", "lock#x") == 1);
    CHECK(count(b, "GetItem", "lock#x") == 5);
}

TEST_CASE("a row that contradicts its own refusals is not written to without a pause") {
    world w;
    node a(w);
    lock_guard guard;
    run(w, a, take(a, "other", guard));
    // The service refuses, and shows what it should not have refused.
    const testing::fault refusal{
        .what = kind::fail, .before = 1ms, .answer = failure(errc::condition_failed, outcome::not_applied)};
    a.network->set_plan(lock_writes_meet(std::vector<testing::fault>(10'000, refusal)));
    a.network->clear_log();
    error_code told;
    run(w, a, take_told(lock{*a.session, "x"}, {.wait = 10s}, guard, told));
    CHECK(told == errc::wait_timeout);
    CHECK(a.requests("lock#x") <= 60);
}

TEST_CASE("a row that contradicts its own refusals is not given back without a pause") {
    for (const bool hands_over : {false, true}) {
        world w;
        node a(w);
        lock target{*a.session, "x"};
        lock_guard held;
        lock_guard next;
        error_code told;
        run(w, a, take(target, held));
        testing::fault refusal{
            .what = kind::fail, .before = 1ms, .answer = failure(errc::condition_failed, outcome::not_applied)};
        refusal.answer.current = w.row("lock#x");
        a.network->set_plan(lock_writes_meet(std::vector(10'000, refusal)));
        a.network->clear_log();
        const auto wait = hands_over ? 10s : 0s;
        running waits(w, a, take_told(target, {.wait = wait}, next, told));
        w.scheduler.run_for(1ms);
        held = {};
        w.scheduler.run_for(10s);
        CHECK(a.requests("lock#x") >= 5);
        CHECK(a.requests("lock#x") <= 60);
    }
}

TEST_CASE("locks whose requests fail together are not asked for again in step") {
    world w;
    node a(w);
    lock_guard other;
    run(w, a, take(a, "other", other));
    a.network->set_plan(lock_writes_meet(std::vector<testing::fault>(100'000, throttling())));
    a.network->clear_log();
    constexpr std::size_t locks = 20;
    std::vector<lock_guard> guards(locks);
    std::vector<error_code> told(locks);
    std::vector<std::unique_ptr<running>> waits;
    for (std::size_t i = 0; i < locks; ++i) {
        lock target{*a.session, "x" + std::to_string(i)};
        waits.push_back(std::make_unique<running>(w, a, take_told(target, {.wait = 10s}, guards[i], told[i])));
    }
    w.scheduler.run_for(5s);
    std::map<time_point, std::size_t> at_once;
    for (const auto& entry : a.network->log()) ++at_once[entry->sent];
    REQUIRE(at_once.size() > 1);
    for (auto each = std::next(at_once.begin()); each != at_once.end(); ++each) CHECK(each->second <= 2);
    w.scheduler.run_for(10s);
}

TEST_CASE("more claims than can be watched over are closed at once, the oldest first") {
    constexpr std::size_t many = 4097;
    world w;
    node a(w, 1);
    node b(w, 2, ahead_by(50ms));
    std::vector<lock_guard> held(many);
    lock_guard guard;
    for (std::size_t i = 0; i < many; ++i) {
        const auto name = "x" + std::to_string(i);
        run(w, a, take(a, name, held[i]));
        run(w, b, try_take(lock{*b.session, name}, guard));
    }
    w.scheduler.run_for(1s);
    const auto floor = [&](std::size_t i) { return find_integer(w.row("lock#x" + std::to_string(i)), "floor").value(); };
    CHECK(floor(0) > held[0].fencing_token());
    CHECK(floor(1) == held[1].fencing_token());
    CHECK(floor(many - 1) == held[many - 1].fencing_token());
}

TEST_CASE("many tries at one lock are watched over as one") {
    world w;
    node a(w, 1);
    node b(w, 2, ahead_by(50ms));
    lock_guard held;
    lock_guard guard;
    run(w, a, take(a, "x", held));
    for (int i = 0; i < 4200; ++i) {
        run(w, b, try_take(lock{*b.session, "x"}, guard));
        w.scheduler.run_for(10ms);
    }
    CHECK(find_integer(w.row("lock#x"), "floor") == held.fencing_token());
    CHECK(count(b, "UpdateItem", "lock#x") == 1);
}

TEST_CASE("a look at what may have landed is repeated when it has no answer") {
    world w;
    node a(w, 1);
    node b(w, 2, ahead_by(50ms));
    lock_guard held;
    lock_guard guard;
    run(w, a, take(a, "x", held));
    // A copy of the refused write lands when the lock is free.
    b.network->set_plan(lock_writes_meet({{.what = kind::apply_twice, .copy = 5s}}));
    run(w, b, try_take(lock{*b.session, "x"}, guard));
    REQUIRE_FALSE(guard);
    run(w, a, give_back(held));
    w.scheduler.run_for(1min);
    const auto holder = [&] { return find(w.row("lock#x"), "holder") != nullptr; };
    REQUIRE(holder());
    b.network->set_plan([](const any_request& request, const call_options&) {
        const bool look = std::holds_alternative<get_item_request>(request);
        return testing::fault{.what = look ? kind::lose_answer : kind::pass};
    });
    w.scheduler.run_for(12min);
    REQUIRE(holder());
    b.network->set_plan({});
    w.scheduler.run_for(12min);
    CHECK_FALSE(holder());
}

TEST_CASE("a look at what may have landed is made up for when the lock was in use as it fell due") {
    constexpr auto due = 11min;
    world w;
    node a(w, 1);
    node b(w, 2, ahead_by(50ms));
    lock target{*b.session, "x"};
    lock_guard held;
    lock_guard guard;
    run(w, a, take(a, "x", held));
    const auto sent = w.scheduler.now();
    b.network->set_plan(lock_writes_meet({{.what = kind::apply_twice, .copy = due - 2s}}));
    run(w, b, try_take(target, guard));
    // More tries, that only look, until the lock is free and the copy has landed.
    while (w.scheduler.now() - sent < due - 6s) {
        w.scheduler.run_for(3s);
        run(w, b, try_take(target, guard));
    }
    REQUIRE(count(b, "UpdateItem", "lock#x") == 1);
    run(w, a, give_back(held));
    w.scheduler.run_until(sent + due - 500ms);
    const auto holder = [&] { return find(w.row("lock#x"), "holder") != nullptr; };
    REQUIRE(holder());
    b.network->set_plan([](const any_request& request, const call_options&) {
        const bool look = std::holds_alternative<get_item_request>(request);
        return testing::fault{.what = look ? kind::lose_answer : kind::pass};
    });
    error_code told;
    run(w, b, try_told(target, guard, told));
    CHECK(told == errc::timeout);
    b.network->set_plan({});
    w.scheduler.run_for(due + 1min);
    CHECK_FALSE(holder());
}
