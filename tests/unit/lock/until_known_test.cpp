// A caller that waits only until it is known whether the holder lives: for processes that try once and end.
// SPDX-License-Identifier: BSL-1.0
#include "support/lock_steps.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

constexpr auto lease = 10s;
constexpr auto heartbeat = lease / 4;

/// One has the lock; every other process is begun for one call.
struct one_holder {
    one_holder() { run(w, *holder, take(*holder, "x", guard)); }

    void kill_holder() {
        guard = {};
        holder->crash();
    }
    /// Its only call in its life. @returns how long it took
    std::chrono::nanoseconds call_of(node& process) {
        const auto began = w.scheduler.now();
        run(w, process, take_told(lock{*process.session, "x"}, {.wait = until_known}, got, told));
        return w.scheduler.now() - began;
    }

    world w;
    std::optional<node> holder{std::in_place, w, 1};
    lock_guard guard;
    lock_guard got;
    error_code told;
};

}  // namespace

TEST_CASE("a holder that lives is known by its next heartbeat") {
    for (const auto since : {100ms, 700ms, 1300ms, 2400ms}) {
        one_holder at;
        at.w.scheduler.run_for(since);
        node other(at.w, 2);
        const auto took = at.call_of(other);
        CHECK(at.told == errc::wait_timeout);
        CHECK(at.told == condition::contended);
        CHECK_FALSE(at.got);
        CHECK(took <= heartbeat + lease / 8);
        CHECK(at.guard.held());
        // Its row once, the refused write; then, each eighth of the lease, the lock and the holder's session.
        CHECK(other.requests("lock#x") <= 5);
        CHECK(other.requests("session#" + at.holder->session->id()) <= 4);
        CHECK_FALSE(find(at.w.row("lock#x"), "line"));
    }
}

TEST_CASE("a dead holder's lock is taken over by the first who asks, though none lives longer than its call") {
    one_holder at;
    at.w.scheduler.run_for(4s);
    at.kill_holder();
    node other(at.w, 2);
    const auto took = at.call_of(other);
    CHECK_FALSE(at.told);
    CHECK(at.got.held());
    CHECK(took >= lease);
    CHECK(took <= lease + 1s);
}

TEST_CASE("what a living holder gives back meanwhile is not taken") {
    one_holder at;
    at.w.scheduler.run_for(100ms);
    node other(at.w, 2);
    running call(at.w, other, take_told(lock{*other.session, "x"}, {.wait = until_known}, at.got, at.told));
    at.w.scheduler.run_for(300ms);
    run(at.w, *at.holder, give_back(at.guard));
    call.wait();
    CHECK(at.told == errc::wait_timeout);
    CHECK_FALSE(find(at.w.row("lock#x"), "holder"));
}

TEST_CASE("what a living holder passes on meanwhile is not waited for") {
    one_holder at;
    lock_guard next;
    running second(at.w, *at.holder, take(*at.holder, "x", next));
    at.w.scheduler.run_for(100ms);
    node other(at.w, 2);
    running call(at.w, other, take_told(lock{*other.session, "x"}, {.wait = until_known}, at.got, at.told));
    at.w.scheduler.run_for(300ms);
    run(at.w, *at.holder, give_back(at.guard));
    second.wait();
    call.wait(heartbeat);
    CHECK(at.told == errc::wait_timeout);
    CHECK(next.held());
}

TEST_CASE("whoever waits in the same process waits for him who asks, and goes on when he knows") {
    const bool given_back = GENERATE(false, true);
    one_holder at;
    node other(at.w, 2);
    lock target{*other.session, "x"};
    lock_guard patient;
    running call(at.w, other, take_told(target, {.wait = until_known}, at.got, at.told));
    at.w.scheduler.run_for(100ms);
    running waits(at.w, other, take(target, patient));
    at.w.scheduler.run_for(300ms);
    CHECK_FALSE(call.done());
    if (given_back) run(at.w, *at.holder, give_back(at.guard));
    call.wait(heartbeat + lease / 8);
    CHECK(at.told == errc::wait_timeout);
    if (!given_back) run(at.w, *at.holder, give_back(at.guard));
    waits.wait(5s);
    CHECK(patient.held());
}

TEST_CASE("whoever waits behind one who asks keeps his pace, however rarely that one looks") {
    const bool cancelled = GENERATE(false, true);
    world w;
    node holder(w, 1, {}, {.table = table, .lease = 1h});
    node other(w, 2);
    lock_guard held;
    run(w, holder, take(holder, "x", held));
    lock target{*other.session, "x"};
    lock_guard patient;
    asio::cancellation_signal leaves;
    error_code asked;
    target.acquire({.wait = until_known},
                   asio::bind_cancellation_slot(leaves.slot(), [&](error_code code, lock_guard) { asked = code; }));
    w.scheduler.run_for(100ms);
    running waits(w, other, take(target, patient));
    w.scheduler.run_for(300ms);
    if (cancelled) leaves.emit(asio::cancellation_type::total);
    w.scheduler.run_for(10s);
    CHECK(other.requests("lock#x") < 120);
    run(w, holder, give_back(held));
    waits.wait(1s);
    CHECK(patient.held());
    w.scheduler.run_for(1s);
    CHECK(asked == (cancelled ? errc::cancelled : errc::wait_timeout));
}

TEST_CASE("a dead process in line before a free lock keeps nobody out") {
    one_holder at;
    std::optional<node> waiter(std::in_place, at.w, 3);
    lock_guard never;
    running waits(at.w, *waiter, take(*waiter, "x", never));
    at.w.scheduler.run_for(2s);
    waiter->crash();
    run(at.w, *at.holder, give_back(at.guard));
    node other(at.w, 2);
    at.call_of(other);
    CHECK_FALSE(at.told);
    CHECK(at.got.held());
}

TEST_CASE("behind a dead holder and a dead process in line it looks no oftener than who waits") {
    one_holder at;
    std::optional<node> waiter(std::in_place, at.w, 3);
    lock_guard never;
    running waits(at.w, *waiter, take(*waiter, "x", never));
    at.w.scheduler.run_for(2s);
    waiter->crash();
    at.kill_holder();
    node other(at.w, 2);
    at.call_of(other);
    CHECK_FALSE(at.told);
    CHECK(at.got.held());
    CHECK(other.requests("lock#x") <= 30);
}

TEST_CASE("what this very process holds is known to be held") {
    one_holder at;
    const auto before = at.holder->network->log().size();
    CHECK(at.call_of(*at.holder) == 0s);
    CHECK(at.told == errc::wait_timeout);
    CHECK(at.holder->network->log().size() == before);
}

TEST_CASE("a holder that stood still, and beats again, lives") {
    one_holder at;
    at.w.scheduler.run_for(1s);
    at.holder->process->pause();
    node other(at.w, 2);
    running call(at.w, other, take_told(lock{*other.session, "x"}, {.wait = until_known}, at.got, at.told));
    at.w.scheduler.run_for(8s);
    CHECK_FALSE(call.done());
    at.holder->process->resume();
    call.wait(lease / 8 + 200ms);
    CHECK(at.told == errc::wait_timeout);
    CHECK(at.guard.held());
}

TEST_CASE("it takes no longer for those who asked before") {
    one_holder at;
    node other(at.w, 2);
    at.call_of(other);
    at.w.scheduler.run_for(1h);
    at.kill_holder();
    // What was seen an hour ago says nothing of now.
    const auto took = at.call_of(other);
    CHECK_FALSE(at.told);
    CHECK(at.got.held());
    CHECK(took <= lease + 1s);
}

TEST_CASE("who asks until the holder is known to live is not told so because others before him were refused") {
    one_holder at;
    at.w.scheduler.run_for(4s);
    const auto session = "session#" + at.holder->session->id();
    at.kill_holder();
    at.w.apply(delete_item_request{.table_name = table, .key = {{"pk", session}, {"sk", "-"}}});
    node other(at.w, 2);
    other.network->set_plan([](const any_request& request, const call_options&) {
        const bool looks = std::holds_alternative<get_item_request>(request);
        return looks ? testing::fault{.what = testing::fault::kind::fail, .answer = failure(errc::unreachable)}
                     : testing::fault{};
    });
    run(at.w, other, try_told(lock{*other.session, "x"}, at.got, at.told));
    REQUIRE(at.told);
    other.network->set_plan({});
    at.w.scheduler.run_for(2s);
    const auto took = at.call_of(other);
    CHECK_FALSE(at.told);
    CHECK(at.got.held());
    CHECK(took < 1s);
}

TEST_CASE("who asks until the holder is known to live asks on where its writes are refused and nothing shows a life") {
    one_holder at;
    at.w.scheduler.run_for(4s);
    const auto session = "session#" + at.holder->session->id();
    at.kill_holder();
    at.w.apply(delete_item_request{.table_name = table, .key = {{"pk", session}, {"sk", "-"}}});
    node other(at.w, 2);
    failure refusal(errc::condition_failed, outcome::not_applied);
    refusal.current = at.w.row("lock#x");
    const testing::fault refused{.what = testing::fault::kind::fail, .answer = std::move(refusal)};
    other.network->set_plan(lock_writes_meet({refused, refused, refused}));
    at.call_of(other);
    CHECK_FALSE(at.told);
    CHECK(at.got.held());
}

TEST_CASE("who asks until the holder is known to live does not ask for ever where all his writes are refused") {
    one_holder at;
    at.w.scheduler.run_for(4s);
    const auto session = "session#" + at.holder->session->id();
    at.kill_holder();
    at.w.apply(delete_item_request{.table_name = table, .key = {{"pk", session}, {"sk", "-"}}});
    node other(at.w, 2);
    failure refusal(errc::condition_failed, outcome::not_applied);
    refusal.current = at.w.row("lock#x");
    const testing::fault refused{.what = testing::fault::kind::fail, .answer = std::move(refusal)};
    other.network->set_plan([refused](const any_request& request, const call_options& options) {
        const bool writes = std::holds_alternative<update_item_request>(request) && options.lane == lane::ordinary;
        return writes ? refused : testing::fault{};
    });
    const auto took = at.call_of(other);
    CHECK(at.told == errc::wait_timeout);
    CHECK(took < lease);
}

TEST_CASE("a write that was refused to a caller who has gone does not count against the next") {
    one_holder at;
    run(at.w, *at.holder, give_back(at.guard));
    node other(at.w, 2);
    failure refusal(errc::condition_failed, outcome::not_applied);
    refusal.current = at.w.row("lock#x");
    const testing::fault refused{.what = testing::fault::kind::fail, .after = 300ms, .answer = std::move(refusal)};
    const testing::fault refused_soon{.what = testing::fault::kind::fail, .answer = refused.answer};
    lock_guard warm;
    run(at.w, other, take(other, "y", warm));
    other.network->set_plan(lock_writes_meet({refused, refused_soon}));
    run(at.w, other, take_told(lock{*other.session, "x"}, {.wait = 100ms}, at.got, at.told));
    REQUIRE(at.told);
    at.w.scheduler.run_for(30s);
    run(at.w, other, try_take(lock{*other.session, "x"}, at.got));
    CHECK(at.got.held());
}
