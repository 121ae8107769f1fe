// What goes on under a session while it closes: work that may end, and all that it rests on.
// SPDX-License-Identifier: BSL-1.0
#include "unit/session/session_steps.hpp"

#include <dynalease/lock.hpp>
#include <dynalease/queue.hpp>

#include <catch2/catch.hpp>

#include <chrono>
#include <optional>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

using testing::fault;

/// A piece of work, and what it saw.
struct piece {
    const node* in;
    std::chrono::nanoseconds takes{};
    bool began = false;
    bool cancelled = false;
    bool ended = false;
    bool held_to_the_end = false;
    error_code told{};
};

template <class Guard>
asio::awaitable<void> work_on(piece& of, Guard& guard) {
    of.began = true;
    auto& clock = *of.in->environment.clock;
    auto waited = co_await clock.async_wait_until(clock.now() + of.takes, as_tuple);
    of.cancelled = std::get<0>(waited) == asio::error::operation_aborted;
    of.held_to_the_end = guard.held();
    of.ended = true;
}
struct under_lock {
    piece* of;
    asio::awaitable<void> operator()(lock_guard& guard) const { return work_on(*of, guard); }
};
struct in_turn {
    piece* of;
    asio::awaitable<void> operator()(queue_turn& turn) const { return work_on(*of, turn); }
};

asio::awaitable<void> work(node& in, bool as_turn, piece& of) {
    const queue_options options;
    try {
        if (as_turn) {
            queue target{*in.session, "x", options};
            in_turn body{&of};
            co_await with_turn(target, body);
        } else {
            lock target{*in.session, "x"};
            under_lock body{&of};
            co_await with_lock(target, body);
        }
    } catch (const error& e) {
        of.told = e.code();
    }
}

asio::awaitable<void> next_in(node& in, bool as_turn, lock_guard& locked, queue_turn& turn) {
    const queue_options options;
    if (as_turn) {
        queue target{*in.session, "x", options};
        turn = co_await target.enter();
    } else {
        lock target{*in.session, "x"};
        locked = co_await target.acquire();
    }
}

/// A process with work under way, and another that waits for what that has.
struct closing_world {
    explicit closing_world(std::chrono::nanoseconds takes, bool as_turn = false) : mine{.in = &a, .takes = takes} {
        body.emplace(w, a, work(a, as_turn, mine));
        while (!mine.began) w.scheduler.step();
        next.emplace(w, b, next_in(b, as_turn, locked, turn));
        w.scheduler.run_for(200ms);
    }

    world w;
    node a{w, 1};
    node b{w, 2};
    piece mine;
    lock_guard locked;
    queue_turn turn;
    close_report report;
    std::optional<running> body;
    std::optional<running> next;
};

}  // namespace

TEST_CASE("work that is short enough ends while its session closes, as if nothing had happened") {
    const bool as_turn = GENERATE(false, true);
    closing_world in(2s, as_turn);
    const auto began = in.w.scheduler.now();
    running closes(in.w, in.a, close(in.a, {}, in.report));
    in.w.scheduler.run_for(1s);
    CHECK(in.a.session->state() == session_state::closed);
    CHECK_FALSE(in.next->done());
    in.body->wait(2s);
    CHECK_FALSE(in.mine.told);
    CHECK_FALSE(in.mine.cancelled);
    CHECK(in.mine.held_to_the_end);
    closes.wait(1s);
    CHECK(in.w.scheduler.now() - began < 2500ms);
    CHECK(in.report.failed.empty());
    in.next->wait(1s);
}

TEST_CASE("no work begins under a session that closes, and nobody waits on") {
    closing_world in(2s);
    piece waits_here{.in = &in.a};
    piece comes_later{.in = &in.a};
    running waiting(in.w, in.a, work(in.a, false, waits_here));
    in.w.scheduler.run_for(100ms);
    running closes(in.w, in.a, close(in.a, {}, in.report));
    in.w.scheduler.run_for(10ms);
    CHECK(waiting.done());
    CHECK(waits_here.told == errc::session_closed);
    run(in.w, in.a, work(in.a, true, comes_later), 10ms);
    CHECK(comes_later.told == errc::session_closed);
    CHECK_FALSE(waits_here.began);
    CHECK_FALSE(comes_later.began);
    closes.wait(5s);
    CHECK(in.mine.held_to_the_end);
}

TEST_CASE("guards stay in force while work goes on under a session that closes, and no longer") {
    closing_world in(2s);
    lock_guard other;
    run(in.w, in.a, take(in.a, "y", other));
    running closes(in.w, in.a, close(in.a, {}, in.report));
    in.w.scheduler.run_for(1s);
    CHECK(other.held());
    CHECK(other.state() == guard_state::held);
    CHECK(find(in.w.row("lock#y"), "holder"));
    closes.wait(5s);
    CHECK_FALSE(other.held());
    CHECK(other.state() == guard_state::released);
    CHECK_FALSE(find(in.w.row("lock#y"), "holder"));
}

TEST_CASE("a session beats on while work goes on under it") {
    closing_world in(25s);
    running closes(in.w, in.a, close(in.a, {.timeout = 1min}, in.report));
    in.body->wait(26s);
    CHECK(in.mine.held_to_the_end);
    CHECK_FALSE(in.mine.told);
    closes.wait(1s);
    CHECK(in.a.session->counters().lives_lost == 0);
}

TEST_CASE("work whose lock is lost while its session closes is told of the loss") {
    closing_world in(1h);
    running closes(in.w, in.a, close(in.a, {.timeout = 1min}, in.report));
    in.w.scheduler.run_for(1s);
    in.a.network->set_plan(silence());
    in.body->wait(15s);
    CHECK(in.mine.cancelled);
    CHECK(in.mine.told == errc::lock_lost);
    closes.wait(1min);
}

TEST_CASE("work is cancelled in the middle of the time that closing may take") {
    closing_world in(1h);
    running closes(in.w, in.a, close(in.a, {.timeout = 8s}, in.report));
    in.w.scheduler.run_for(3900ms);
    CHECK_FALSE(in.mine.cancelled);
    in.body->wait(200ms);
    CHECK(in.mine.cancelled);
    CHECK(in.mine.held_to_the_end);
    CHECK(in.mine.told == errc::session_closed);
    closes.wait(1s);
}

TEST_CASE("work that is cancelled in a short close has time to end, and what it held is released") {
    const auto all = GENERATE(200ms, 600ms, 2000ms);
    closing_world in(1h);
    running closes(in.w, in.a, close(in.a, {.timeout = all}, in.report));
    closes.wait(all);
    CHECK(in.mine.told == errc::session_closed);
    CHECK(in.report.released == 1);
    CHECK(in.report.failed.empty());
    in.next->wait(1s);
}

TEST_CASE("a session that may take for ever to close waits for the end of work") {
    closing_world at(30s);
    running closing(at.w, at.a, close(at.a, {.timeout = std::chrono::milliseconds::max()}, at.report));
    at.body->wait(1min);
    CHECK_FALSE(at.mine.told);
    closing.wait(1min);
    CHECK(at.report.failed.empty());
}

TEST_CASE("a session that is left to the lease cancels work at once") {
    closing_world in(1h);
    running closes(in.w, in.a, close(in.a, {.release = false}, in.report));
    in.body->wait(10ms);
    CHECK(in.mine.cancelled);
    CHECK(in.mine.told == errc::session_closed);
    closes.wait(10ms);
    CHECK_FALSE(in.next->done());
}

TEST_CASE("guards that are waited for are given back by their holders, and in time taken from those who do not") {
    struct step {
        std::chrono::milliseconds gives_back;
        bool waits;
        bool by_himself;
    };
    for (const auto& [gives_back, waits, by_himself] :
         {step{1s, true, true}, step{1s, false, false}, step{4s, true, false}}) {
        world w;
        node a(w, 1);
        node b(w, 2);
        lock_guard guard;
        lock_guard next;
        run(w, a, take(lock{*a.session, "x"}, guard));
        const running waiting(w, b, take(lock{*b.session, "x"}, next));
        w.scheduler.run_for(1s);
        std::optional<close_report> report;
        const auto began = w.scheduler.now();
        auto closed = began;
        close_options how;
        how.waits_for_guards = waits;
        a.session->close(how, [&](error_code, const close_report& told) {
            report = told;
            closed = w.scheduler.now();
        });
        w.scheduler.run_for(gives_back);
        CHECK(guard.held() == by_himself);
        CHECK(next.held() != by_himself);
        error_code told;
        guard.release([&](error_code code) { told = code; });
        w.scheduler.run_for(1s);
        CHECK(bool(told) != by_himself);
        CHECK(next.held());
        REQUIRE(report);
        CHECK(report->failed.empty());
        CHECK(report->released == 1);
        // No longer than they take, or than half of the time.
        CHECK(closed - began >= (by_himself ? 1s : waits ? 2500ms : 0ms));
        CHECK(closed - began <= (by_himself ? 1200ms : waits ? 2700ms : 200ms));
    }
}
