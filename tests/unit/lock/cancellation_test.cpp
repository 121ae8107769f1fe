// A cancellation at the very first moment: nothing may be forgotten by a coroutine that never ran.
// SPDX-License-Identifier: BSL-1.0
#include "support/world.hpp"

#include <dynalease/lock.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

constexpr auto all_types = {asio::cancellation_type::terminal, asio::cancellation_type::partial,
                            asio::cancellation_type::total};

asio::awaitable<void> take_lock(node& in, lock_guard& into, acquire_options options = {}) {
    lock target{*in.session, "x"};
    into = co_await target.acquire(std::move(options));
}

asio::awaitable<void> open_session(node& in) {
    lock other{*in.session, "other"};
    auto guard = co_await other.acquire();
    co_await guard.release();
}

asio::awaitable<void> close_session(node& in) {
    co_await in.session->close();
}

asio::awaitable<int> never_run(lock_guard&) {
    FAIL("the body ran");
    co_return 0;
}

asio::awaitable<void> guarded_work(node& in) {
    lock target{*in.session, "x"};
    co_await with_lock(target, never_run);
}

}  // namespace

TEST_CASE("a release that is cancelled at once still frees the lock") {
    for (const auto type : all_types) {
        world w;
        node a(w);
        lock_guard guard;
        run(w, a, take_lock(a, guard));
        asio::cancellation_signal signal;
        std::optional<error_code> code;
        guard.release(asio::bind_cancellation_slot(signal.slot(), [&](error_code ec) { code = ec; }));
        signal.emit(type);
        w.scheduler.run_for(1s);
        CHECK(code);
        CHECK_FALSE(find(w.row("lock#x"), "holder"));
        CHECK(a.session->counters().leases_held == 0);
    }
}

TEST_CASE("an acquire that is cancelled at once leaves nothing") {
    for (const auto type : all_types) {
        world w;
        node a(w);
        lock target{*a.session, "x"};
        asio::cancellation_signal signal;
        std::optional<error_code> code;
        target.acquire(asio::bind_cancellation_slot(signal.slot(), [&](error_code ec, lock_guard) { code = ec; }));
        signal.emit(type);
        w.scheduler.run_for(10s);
        REQUIRE(code);
        CHECK(*code == condition::cancelled);
        CHECK_FALSE(find(w.row("lock#x"), "holder"));
    }
}

TEST_CASE("a close that is cancelled at once goes on in the background") {
    world w;
    node a(w);
    lock_guard guard;
    run(w, a, take_lock(a, guard));
    asio::cancellation_signal signal;
    std::optional<error_code> code;
    a.session->close({}, asio::bind_cancellation_slot(signal.slot(), [&](error_code ec, close_report) { code = ec; }));
    signal.emit(asio::cancellation_type::terminal);
    w.scheduler.run_for(1s);
    CHECK(code);
    CHECK(a.session->state() == session_state::closed);
    CHECK_FALSE(find(w.row("lock#x"), "holder"));
}

TEST_CASE("guarded work that is cancelled while it waits for the lock never runs") {
    world w;
    node a(w, 1);
    node b(w, 2);
    lock_guard held;
    run(w, a, take_lock(a, held));
    asio::cancellation_signal signal;
    std::exception_ptr thrown;
    asio::co_spawn(b.environment.executor, guarded_work(b),
                   asio::bind_cancellation_slot(signal.slot(), [&](std::exception_ptr e) { thrown = e; }));
    w.scheduler.run_for(1s);
    signal.emit(asio::cancellation_type::terminal);
    w.scheduler.run_for(1s);
    CHECK(thrown);
    CHECK(held.held());
}

TEST_CASE("a wait of no time is one attempt") {
    world w;
    node a(w, 1);
    node b(w, 2);
    lock_guard first;
    lock_guard second;
    run(w, a, take_lock(a, first, {.wait = 0s}));
    CHECK(first.held());
    try {
        run(w, b, take_lock(b, second, {.wait = 0s}));
        FAIL("it was granted");
    } catch (const error& e) {
        CHECK(e.code() == errc::wait_timeout);
    }
    running waits(w, b, take_lock(b, second, {.wait = std::chrono::nanoseconds::max()}));
    w.scheduler.run_for(10s);
    CHECK_FALSE(waits.done());
    first = {};
    waits.wait(1s);
    CHECK(second.held());
}

TEST_CASE("a session that closes while the first write for a lock is under way waits for its answer, and no longer") {
    world w;
    node a(w, 1);
    node b(w, 2);
    lock_guard others;
    lock_guard guard;
    run(w, a, open_session(a));
    run(w, b, take_lock(b, others));
    a.network->set_plan(
        [](const any_request&, const call_options&) { return testing::fault{.before = 50ms, .after = 50ms}; });
    running taking(w, a, take_lock(a, guard));
    w.scheduler.run_for(20ms);
    const auto began = w.scheduler.now();
    running closing(w, a, close_session(a));
    closing.wait();
    CHECK_THROWS(taking.wait());
    CHECK(w.scheduler.now() - began <= 300ms);
}
