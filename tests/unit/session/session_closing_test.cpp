// How a session ends while something still goes on under it, and when its last requests meet trouble.
// SPDX-License-Identifier: BSL-1.0
#include "unit/session/session_steps.hpp"

#include <dynalease/lock.hpp>
#include <dynalease/queue.hpp>

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

using kind = testing::fault::kind;

std::string state_of_row(world& w, const std::string& id) {
    const auto row = w.row("session#" + id);
    const auto* state = find_string(row, "state");
    return state ? *state : "";
}

bool is_about(const any_request& request, std::string_view partition) {
    const auto* update = std::get_if<update_item_request>(&request);
    const auto* key = update ? find_string(update->key, "pk") : nullptr;
    return key && key->rfind(partition, 0) == 0;
}

/// What a body has seen of its end.
struct ending {
    error_code told{};
    std::chrono::nanoseconds tidies_for{};  ///< after its cancellation
    bool began = false;
    bool cancelled = false;
    bool ended = false;
};

asio::awaitable<void> go_on_working(const node& in, ending& seen) {
    seen.began = true;
    auto& clock = *in.environment.clock;
    auto waited = co_await clock.async_wait_until(clock.now() + 1h, as_tuple);
    seen.cancelled = std::get<0>(waited) == asio::error::operation_aborted;
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    co_await clock.async_wait_until(clock.now() + seen.tidies_for, asio::deferred);
    seen.ended = true;
}

struct lock_body {
    const node* in;
    ending* seen;
    asio::awaitable<void> operator()(lock_guard&) const { return go_on_working(*in, *seen); }
};
struct turn_body {
    const node* in;
    ending* seen;
    asio::awaitable<void> operator()(queue_turn&) const { return go_on_working(*in, *seen); }
};

asio::awaitable<void> work_for_a_lock(node& in, ending& seen) {
    lock target{*in.session, "x"};
    lock_body body{&in, &seen};
    try {
        co_await with_lock(target, body);
    } catch (const error& e) {
        seen.told = e.code();
    }
}

asio::awaitable<void> work_for_a_turn(node& in, ending& seen) {
    queue_options options;
    queue target{*in.session, "x", options};
    turn_body body{&in, &seen};
    try {
        co_await with_turn(target, body);
    } catch (const error& e) {
        seen.told = e.code();
    }
}

using guarded_call = asio::awaitable<void> (*)(node&, ending&);

asio::awaitable<void> have_next(node& in, bool as_turn, lock_guard& lock_too, queue_turn& turn_too) {
    if (as_turn) {
        queue_options options;
        queue target{*in.session, "x", options};
        turn_too = co_await target.enter();
    } else {
        lock target{*in.session, "x"};
        lock_too = co_await target.acquire();
    }
}

}  // namespace

TEST_CASE("work under a lock or in a turn ends before a closed session gives it back, and is told why") {
    const bool as_turn = GENERATE(false, true);
    const bool by_destructor = GENERATE(false, true);
    const guarded_call start = as_turn ? &work_for_a_turn : &work_for_a_lock;
    world w;
    node a(w, 1);
    node b(w, 2);
    ending seen{.tidies_for = 1s};
    running body(w, a, start(a, seen));
    while (!seen.began) w.scheduler.step();
    lock_guard lock_too;
    queue_turn turn_too;
    running next(w, b, have_next(b, as_turn, lock_too, turn_too));
    w.scheduler.run_for(1s);

    close_report report;
    std::optional<running> closes;
    if (by_destructor) {
        a.session.reset();
    } else {
        closes.emplace(w, a, close(a, {}, report));
    }
    w.scheduler.run_for(2400ms);
    CHECK_FALSE(seen.cancelled);
    w.scheduler.run_for(200ms);
    CHECK(seen.cancelled);
    CHECK_FALSE(seen.ended);
    CHECK_FALSE(next.done());
    body.wait(2s);
    CHECK(seen.told == errc::session_closed);
    next.wait(4s);
    if (closes) {
        closes->wait(1s);
        CHECK(report.released == 1);
        CHECK(report.failed.empty());
    }
}

TEST_CASE("a lock whose work does not end stays taken until the lease is over") {
    world w;
    node a(w, 1);
    node b(w, 2);
    ending seen{.tidies_for = 1h};
    running body(w, a, work_for_a_lock(a, seen));
    while (!seen.began) w.scheduler.step();
    lock_guard other;
    run(w, a, take(a, "y", other));
    close_report report;
    run(w, a, close(a, {.timeout = 3s}, report), 4s);
    CHECK(report.released == 1);
    REQUIRE(report.failed.size() == 1);
    CHECK(report.failed.front().code == errc::session_closed);  // nothing was sent
    CHECK(report.row == errc::session_closed);
    lock_guard free;
    run(w, b, take(b, "y", free), 1s);
    lock_guard taken;
    const auto closed = w.scheduler.now();
    run(w, b, take(b, "x", taken));
    CHECK(w.scheduler.now() - closed > 5s);
    body.wait(2h);
    CHECK(seen.ended);
}

TEST_CASE("work that gave its lock back itself goes on when the session closes") {
    world w;
    node a(w);
    bool ended = false;
    struct giving_back {
        const node* in;
        bool* ended;
        static asio::awaitable<void> run(const node& in, bool& ended, lock_guard& guard) {
            co_await guard.release();
            co_await sleep(in, 2s);
            ended = true;
        }
        asio::awaitable<void> operator()(lock_guard& guard) const { return run(*in, *ended, guard); }
    };
    struct call {
        static asio::awaitable<void> run(node& in, bool& ended) {
            lock target{*in.session, "x"};
            giving_back body{&in, &ended};
            co_await with_lock(target, body);
        }
    };
    running body(w, a, call::run(a, ended));
    w.scheduler.run_for(1s);
    close_report report;
    run(w, a, close(a, {}, report));
    body.wait(3s);
    CHECK(ended);
}

TEST_CASE("work under a lock of a session that is closed already does not begin") {
    world w;
    node a(w);
    ending seen;
    // The grant and the closing come to the caller in one step.
    running body(w, a, work_for_a_lock(a, seen));
    while (!find(w.row("lock#x"), "holder")) w.scheduler.step();
    close_report report;
    run(w, a, close(a, {}, report));
    body.wait(1s);
    CHECK(seen.told == errc::session_closed);
}

TEST_CASE("a session whose lock cannot be released is closed all the same, which frees the lock") {
    world w;
    node a(w, 1);
    node b(w, 2);
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    a.network->set_plan([](const any_request& request, const call_options&) {
        return is_about(request, "lock#x") ? testing::fault{kind::lose_request} : testing::fault{};
    });
    close_report report;
    run(w, a, close(a, {}, report), 6s);
    CHECK(report.failed.size() == 1);
    CHECK(state_of_row(w, a.session->id()) == "closed");
    lock_guard taken;
    run(w, b, take(b, "x", taken), 2s);
    CHECK(taken.held());
}

TEST_CASE("the closing of a session's row is sent again until it is answered") {
    world w;
    node a(w);
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    const auto lost = GENERATE(kind::lose_request, kind::lose_answer);
    unsigned sent = 0;
    a.network->set_plan([&sent, lost](const any_request& request, const call_options&) {
        const auto* update = std::get_if<update_item_request>(&request);
        const bool closes = update && update->values.contains(":closed");
        return closes && ++sent == 1 ? testing::fault{lost} : testing::fault{};
    });
    close_report report;
    run(w, a, close(a, {}, report));
    CHECK(state_of_row(w, a.session->id()) == "closed");
    CHECK(sent == 2);
}

TEST_CASE("a lost session can be closed in the step that tells of it") {
    const auto how = GENERATE(testing::dispatching::posts, testing::dispatching::runs_inline);
    world w;
    node a(w, 1, {}, {.table = table, .begins_anew = false}, how);
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    struct call {
        static asio::awaitable<void> over_and_close(node& in) {
            auto [over] = co_await in.session->over(as_tuple);
            CHECK(over == errc::session_lost);
            co_await in.session->close();
        }
    };
    running closes(w, a, call::over_and_close(a));
    a.network->set_plan(silence());
    CHECK_NOTHROW(closes.wait(20s));
}

TEST_CASE("a log hook may call verbs of the session it is told about") {
    const auto how = GENERATE(testing::dispatching::posts, testing::dispatching::runs_inline);
    world w;
    std::optional<node> a;
    lock_guard guard;
    int told = 0;
    bool closed = false;
    error_code acquired;
    session_options options{.table = table};
    options.log = [&](severity, std::string_view line) {
        if (line.find("lost") == std::string_view::npos) return;
        ++told;
        lock target{*a->session, "y"};
        target.acquire([&](error_code code, const lock_guard&) { acquired = code; });
        a->session->close({}, [&](error_code code, const close_report&) { closed = !code; });
        // Nothing of a verb happens inside the hook, which the library calls in the middle of its own work.
        CHECK_FALSE(closed);
        CHECK_FALSE(acquired);
    };
    a.emplace(w, 1, testing::virtual_clock_options{}, std::move(options), how);
    run(w, *a, take(*a, "x", guard));
    a->network->set_plan(silence());
    w.scheduler.run_for(30s);
    CHECK(told == 1);
    CHECK(closed);
    CHECK(acquired == condition::lost);
    CHECK(guard.state() == guard_state::lost);
}
