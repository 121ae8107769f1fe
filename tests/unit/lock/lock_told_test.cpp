// What callers of a lock are told: in doubt as in doubt, never as refused or as done; and a try at once.
// SPDX-License-Identifier: BSL-1.0
#include "support/lock_steps.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;
using kind = testing::fault::kind;

namespace {

const testing::fault answer_lost{.what = kind::lose_answer};
const testing::fault request_lost{.what = kind::lose_request};

/// Nobody has it, and the table says so.
void expect_free(world& where) {
    CHECK_FALSE(find(where.row("lock#x"), "holder"));
    CHECK_FALSE(find(where.row("lock#x"), "line"));
}

}  // namespace

TEST_CASE("a wait that is given up while a write has no answer ends in doubt, and leaves nothing behind") {
    for (const bool cancelled : {false, true}) {
        world w;
        node a(w);
        lock target{*a.session, "x"};
        lock_guard guard;
        error_code told;
        a.network->set_plan(lock_writes_meet({answer_lost}));
        if (cancelled) {
            asio::cancellation_signal cancel;
            target.acquire(
                asio::bind_cancellation_slot(cancel.slot(), [&](error_code code, lock_guard) { told = code; }));
            w.scheduler.run_for(300ms);
            cancel.emit(asio::cancellation_type::terminal);
            w.scheduler.run_for(1ms);
        } else {
            run(w, a, take_told(target, {.wait = 300ms}, guard, told), 301ms);
        }
        CHECK(told == errc::in_doubt);
        w.scheduler.run_for(5s);
        expect_free(w);
        CHECK(a.session->counters().resolving == 0);
    }
}

TEST_CASE("a wait that is given up while every write was answered is not in doubt") {
    world w;
    node a(w, 1);
    node b(w, 2);
    lock_guard first;
    lock_guard second;
    error_code told;
    run(w, a, take(a, "x", first));
    run(w, b, take_told(lock{*b.session, "x"}, {.wait = 2s}, second, told));
    CHECK(told == errc::wait_timeout);
}

TEST_CASE("a release whose hand-over has no answer is told in doubt, and the next one has the lock") {
    world w;
    node a(w);
    lock target{*a.session, "x"};
    lock_guard first;
    lock_guard second;
    run(w, a, take(target, first));
    running waits(w, a, take(target, second));
    w.scheduler.run_for(1ms);
    error_code told;
    a.network->set_plan(lock_writes_meet({answer_lost}));
    const auto began = w.scheduler.now();
    run(w, a, release_told(first, told));
    CHECK(told == errc::in_doubt);
    CHECK(w.scheduler.now() - began < 1100ms);
    waits.wait(1s);
    CHECK(second.held());
}

TEST_CASE("a waiter that leaves while its hand-over has no answer is told in doubt") {
    world w;
    node a(w);
    lock target{*a.session, "x"};
    lock_guard first;
    lock_guard second;
    error_code told;
    run(w, a, take(target, first));
    running waits(w, a, take_told(target, {.wait = 500ms}, second, told));
    w.scheduler.run_for(1ms);
    a.network->set_plan(lock_writes_meet({answer_lost}));
    first = {};
    waits.wait(1s);
    CHECK(told == errc::in_doubt);
    w.scheduler.run_for(5s);
    expect_free(w);
    CHECK(a.session->counters().unknown_writes == 1);
    CHECK(a.session->counters().unknown_applied == 1);
}

TEST_CASE("what the client sent twice in one call is told by what the first copy did") {
    world w;
    node a(w);
    lock target{*a.session, "x"};
    lock_guard guard;
    error_code told;
    // The second copy is refused, by the work of the first.
    const testing::fault again{.what = kind::lose_answer, .again = 20ms};
    a.network->set_plan(lock_writes_meet({again, {}, again}));
    run(w, a, take_told(target, {}, guard, told));
    CHECK_FALSE(told);
    CHECK(guard.held());
    run(w, a, release_told(guard, told));
    CHECK_FALSE(told);
    expect_free(w);
    CHECK(a.session->state() == session_state::live);
}

TEST_CASE("a write that the network repeats is ours, though the answer is that to the copy") {
    world w;
    node a(w);
    lock target{*a.session, "x"};
    lock_guard first;
    lock_guard second;
    error_code told_first;
    error_code told_second;
    // The second copy is refused, by the work of the first, and nobody here knows that there were two.
    const testing::fault repeated{.what = kind::answer_copy, .copy = 5ms};
    a.network->set_plan(lock_writes_meet({repeated, repeated, repeated}));
    run(w, a, take_told(target, {}, first, told_first));
    CHECK_FALSE(told_first);
    CHECK(first.held());
    running waits(w, a, take_told(target, {}, second, told_second));
    w.scheduler.run_for(1ms);
    run(w, a, release_told(first, told_first));
    waits.wait(1s);
    CHECK_FALSE(told_first);
    CHECK_FALSE(told_second);
    CHECK(second.held());
    run(w, a, release_told(second, told_second));
    CHECK_FALSE(told_second);
    expect_free(w);
    CHECK(a.session->state() == session_state::live);
}

TEST_CASE("a release that may have worked in its first copy is told as done, though another has the lock by now") {
    world w;
    node a(w, 1);
    node b(w, 2);
    lock_guard mine;
    lock_guard others;
    lock_guard unused;
    run(w, b, take(b, "other", unused));
    run(w, a, take(a, "x", mine));
    a.network->set_plan(lock_writes_meet({{.what = kind::lose_answer, .again = 20ms}}));
    error_code told = errc::in_doubt;
    running releases(w, a, release_told(mine, told));
    w.scheduler.run_for(500ms);
    run(w, b, take(b, "x", others));
    releases.wait(1s);
    CHECK_FALSE(told);
    CHECK(others.held());
    CHECK(a.session->counters().unknown_applied == 1);
}

TEST_CASE("a release that is refused behind another's grant is told that the lock was lost") {
    world w;
    node a(w);
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    auto row = w.row("lock#x");
    row["holder"] = "another";
    row["floor"] = row["token"] = guard.fencing_token() + 1;
    w.apply(put_item_request{.table_name = table, .new_item = row});
    error_code told;
    run(w, a, release_told(guard, told));
    CHECK(told == errc::lock_lost);
    CHECK(w.row("lock#x") == row);
}

TEST_CASE("a try is told at once that it was throttled") {
    world w;
    node a(w);
    lock_guard guard;
    error_code told;
    run(w, a, take(a, "other", guard));
    a.network->set_plan(lock_writes_meet(std::vector<testing::fault>(100, throttling())));
    const auto began = w.scheduler.now();
    run(w, a, try_told(lock{*a.session, "x"}, guard, told));
    CHECK(told == errc::throttled);
    CHECK(w.scheduler.now() == began);
}

TEST_CASE("a try without an answer is in doubt after the next one stays away, too") {
    world w;
    node a(w);
    lock_guard other;
    lock_guard guard;
    error_code told;
    run(w, a, take(a, "other", other));
    const auto silence = [](const any_request&, const call_options&) {
        return testing::fault{.what = kind::lose_answer};
    };
    a.network->set_plan(silence);
    const auto began = w.scheduler.now();
    run(w, a, try_told(lock{*a.session, "x"}, guard, told));
    CHECK(told == errc::in_doubt);
    CHECK_FALSE(guard);
    CHECK(w.scheduler.now() - began <= 2100ms);
    a.network->set_plan({});
    w.scheduler.run_for(5s);
    expect_free(w);
}

TEST_CASE("a try that others refuse is in doubt while a copy of it may still land") {
    for (const bool waits_no_time : {false, true}) {
        world w;
        node a(w, 1);
        node b(w, 2);
        lock target{*a.session, "x"};
        lock_guard first;
        lock_guard guard;
        error_code told;
        run(w, a, take(target, first));
        run(w, a, give_back(first));
        run(w, b, take(lock{*b.session, "x"}, first));
        w.scheduler.run_for(11s);  // so that it is written to, not looked at, and by a greater token than the holder's
        a.network->set_plan(lock_writes_meet({request_lost}));
        run(w, a, waits_no_time ? take_told(target, {.wait = 0s}, guard, told) : try_told(target, guard, told));
        CHECK(told == errc::in_doubt);
        run(w, b, give_back(first));
        w.scheduler.run_for(15s);
        expect_free(w);
    }
}

TEST_CASE("a try while the lock is given back in silence is told soon that nobody answers") {
    world w;
    node a(w);
    lock target{*a.session, "x"};
    lock_guard held;
    lock_guard guard;
    error_code told;
    run(w, a, take(target, held));
    a.network->set_plan(lock_writes_meet(std::vector(100, request_lost)));
    held = {};
    w.scheduler.run_for(100ms);
    const auto began = w.scheduler.now();
    run(w, a, try_told(target, guard, told), 5s);
    CHECK(told == errc::timeout);
    CHECK_FALSE(guard);
    CHECK(w.scheduler.now() - began <= 1s);
    a.network->set_plan({});
    w.scheduler.run_for(5s);
    expect_free(w);
}

TEST_CASE("a try to which the lock is handed over in silence is in doubt after the second, at once if it is refused") {
    for (const bool silent : {true, false}) {
        world w;
        node a(w);
        lock target{*a.session, "x"};
        lock_guard held;
        lock_guard guard;
        error_code told;
        run(w, a, take(target, held));
        a.network->set_plan(lock_writes_meet(std::vector(100, silent ? request_lost : throttling())));
        const auto began = w.scheduler.now();
        held = {};
        run(w, a, try_told(target, guard, told), 5s);
        CHECK(told == (silent ? errc::in_doubt : errc::throttled));
        CHECK_FALSE(guard);
        CHECK(w.scheduler.now() - began <= (silent ? 2100ms : 0ms));
        a.network->set_plan({});
        w.scheduler.run_for(5s);
        expect_free(w);
    }
}

TEST_CASE("a release whose hand-over was not answered before the end of its session is in doubt") {
    world w;
    node a(w, 1, {}, {.table = table, .lease = 2s});
    node b(w, 2);
    lock target{*a.session, "x"};
    lock_guard first;
    lock_guard second;
    lock_guard others;
    error_code told;
    error_code told_second;
    run(w, a, take(target, first));
    running waits(w, a, take_told(target, {}, second, told_second));
    running takes_over(w, b, take(b, "x", others));
    w.scheduler.run_for(100ms);
    // No heartbeat arrives, and of the copies of the hand-over only the last is answered.
    auto writes = lock_writes_meet(std::vector<testing::fault>(3, {.what = kind::lose_answer, .again = 20ms}));
    a.network->set_plan([=](const any_request& request, const call_options& options) {
        return options.lane == lane::heartbeat ? request_lost : writes(request, options);
    });
    run(w, a, release_told(first, told));
    CHECK(told == errc::in_doubt);
    takes_over.wait(1s);
    CHECK(others.held());
}

TEST_CASE("whoever comes while a hand-over to another is taken back has nothing in doubt") {
    world w;
    node a(w);
    lock target{*a.session, "x"};
    lock_guard first;
    lock_guard second;
    lock_guard third;
    error_code told_second;
    error_code told_third;
    run(w, a, take(target, first));
    running waits(w, a, take_told(target, {.wait = 500ms}, second, told_second));
    w.scheduler.run_for(1ms);
    a.network->set_plan(lock_writes_meet(std::vector(100, request_lost)));
    first = {};
    w.scheduler.run_for(1500ms);
    run(w, a, take_told(target, {.wait = 100ms}, third, told_third));
    CHECK(told_second == errc::in_doubt);
    CHECK(told_third == errc::timeout);
}

TEST_CASE("a wait that is given up at whatever step of the library's is told of the write that has no answer") {
    // No take ever arrives; the looks between them are answered.
    for (std::size_t steps = 0;; ++steps) {
        world w;
        node a(w);
        lock_guard other;
        run(w, a, take(a, "other", other));
        lock target{*a.session, "x"};
        a.network->set_plan(lock_writes_meet(std::vector(100, request_lost)));
        asio::cancellation_signal cancel;
        error_code told;
        target.acquire(asio::bind_cancellation_slot(cancel.slot(), [&](error_code code, lock_guard) { told = code; }));
        const auto began = w.scheduler.now();
        w.scheduler.run_for(900ms);
        for (std::size_t i = 0; i < steps; ++i) w.scheduler.step();
        if (w.scheduler.now() - began > 3s) break;
        cancel.emit(asio::cancellation_type::terminal);
        w.scheduler.run_for(1ms);
        INFO("given up after " << steps << " steps");
        CHECK(told == errc::in_doubt);
    }
}

TEST_CASE("a row that names our session by a claim we never sent is another's, who has our id") {
    // Of a copy of this process, made when it had its id: it numbers its claims as we do, but makes them when it will.
    for (const std::int64_t attempt : {2, 7}) {
        world w;
        node a(w, 1, {}, {.table = table, .begins_anew = false});
        lock_guard other;
        run(w, a, take(a, "other", other));
        item row{{"pk", "lock#x"}, {"sk", "-"}, {"v", 1}, {"holder", a.session->id()}};
        const auto token = a.environment.clock->wall().time_since_epoch().count() - 1;
        row["floor"] = row["token"] = token;
        row["attempt"] = attempt;
        w.apply(put_item_request{.table_name = table, .new_item = row});
        lock_guard guard;
        error_code told;
        run(w, a, take_told(lock{*a.session, "x"}, {.wait = 3s}, guard, told));
        CHECK(told == errc::session_lost);
        CHECK_FALSE(guard);
        CHECK_FALSE(other.held());
        CHECK(w.row("lock#x") == row);
    }
}
