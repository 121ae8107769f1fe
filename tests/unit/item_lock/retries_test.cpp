// Answers that are lost within a call: the client sends the same write again, and finds its own first copy in the way.
// SPDX-License-Identifier: BSL-1.0
#include "support/till.hpp"

#include <dynalease/wall_clock_lock.hpp>

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;
using testing::fault;
using fault_kind = testing::fault::kind;

namespace {

struct one_till : till_world {
    /// The answer to the next request is lost, and the client asks again.
    void lose_an_answer() {
        a.network->set_plan(testing::scripted_faults({fault{.what = fault_kind::lose_answer, .again = 20ms}}));
    }
    /// The next request arrives after the client has sent it once more.
    void hold_up_a_copy() {
        a.network->set_plan(testing::scripted_faults({fault{.what = fault_kind::pass, .before = 3s, .again = 20ms}}));
    }
    /// From now on the condition of the copy on its way would be true.
    void make_five() {
        auto richer = stored();
        richer["amount"] = 5;
        put(std::move(richer));
        scheduler.run_for(10s);
    }

    node a{*this};
};

struct clock_till : one_till {
    wall_clock_lock lock{database(a.network), till(), {.timeout = 10s}};
    wall_clock_guard guard;
    bool locked() { return stored().contains("__LockedAt"); }
};

asio::awaitable<void> take_by_clock(clock_till& w, item_acquire_options options = {}) {
    w.guard = co_await w.lock.acquire(options);
}
asio::awaitable<void> try_by_clock(clock_till& w) {
    w.guard = co_await w.lock.try_acquire();
}
template <class Guard>
asio::awaitable<void> add_if_five(Guard& guard) {
    auto change = add("amount", 1);
    auto condition = attr("amount") == 5;
    co_await guard.update(std::move(change), std::move(condition));
}

}  // namespace

TEST_CASE("a lock by the clock that is refused while a copy of its write is on its way is in doubt") {
    const bool tries = GENERATE(false, true);
    clock_till w;
    w.put({{"id", "north"}, {"__LockedAt", "2026-01-01T00:00:00.500000+00:00"}});
    w.hold_up_a_copy();
    error_code code;
    run(w, w.a, code_of(tries ? try_by_clock(w) : take_by_clock(w, {.wait = 0ms}), code));
    CHECK(code == errc::in_doubt);
    CHECK_FALSE(w.guard);
}

TEST_CASE("a lock by the clock whose answer was lost within the call is our own, not another's") {
    clock_till w;
    w.lose_an_answer();
    const auto begun = w.scheduler.now();
    SECTION("acquire") {
        run(w, w.a, take_by_clock(w));
        CHECK(w.scheduler.now() - begun < 5s);
    }
    SECTION("acquire with little patience") {
        run(w, w.a, take_by_clock(w, {.wait = 3s}));
    }
    SECTION("try_acquire") {
        run(w, w.a, try_by_clock(w));
    }
    CHECK(w.guard.held());
    CHECK(w.locked());
    w.guard = {};
    w.scheduler.run_for(2s);
    CHECK_FALSE(w.locked());
}

TEST_CASE("a change by the clock that was refused within a call is not made by its first copy later") {
    clock_till w;
    run(w, w.a, take_by_clock(w));
    w.hold_up_a_copy();
    error_code code;
    run(w, w.a, code_of(add_if_five(w.guard), code));
    CHECK(code == errc::condition_failed);
    w.make_five();
    CHECK(w.amount() == 5);
}

TEST_CASE("a guarded change that was refused within a call is not made by its first copy later") {
    one_till w;
    item_guard guard;
    run(w, w.a, take(lock_in(w.a), guard));
    w.hold_up_a_copy();
    error_code code;
    run(w, w.a, code_of(add_if_five(guard), code));
    CHECK(code == errc::condition_failed);
    w.make_five();
    CHECK(w.amount() == 5);
}

TEST_CASE("a release whose answer was lost within the call is a release") {
    one_till w;
    item_guard guard;
    run(w, w.a, take(lock_in(w.a), guard));
    w.lose_an_answer();
    run(w, w.a, give_back(guard));
    CHECK(w.unlocked());
}
