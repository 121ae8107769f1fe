// Writes of a lock by the clock that the network repeats: the answer is that to the copy, which the first got refused.
// SPDX-License-Identifier: BSL-1.0
#include "support/till.hpp"

#include <dynalease/wall_clock_lock.hpp>

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;
using testing::fault;
using fault_kind = testing::fault::kind;

namespace {

constexpr fault repeated{.what = fault_kind::answer_copy, .copy = 5ms};

struct clocked_till : till_world {
    error_code lock(item_acquire_options options = {.wait = 0s}) {
        auto taking = [](wall_clock_lock which, wall_clock_guard& into,
                         item_acquire_options how) -> asio::awaitable<void> { into = co_await which.acquire(how); };
        return code_after(taking(target, guard, options));
    }
    error_code add_five(condition_expression condition = {}) {
        auto adding = [](wall_clock_guard& under, condition_expression only) -> asio::awaitable<void> {
            auto change = add("amount", 5);
            co_await under.update(std::move(change), std::move(only));
        };
        return code_after(adding(guard, std::move(condition)));
    }
    error_code release() {
        auto releasing = [](wall_clock_guard& what) -> asio::awaitable<void> { co_await what.release(); };
        return code_after(releasing(guard));
    }
    error_code code_after(asio::awaitable<void> step) {
        error_code code;
        run(*this, a, code_of(std::move(step), code), 1min);
        return code;
    }
    bool locked() { return stored().contains("__LockedAt"); }

    node a{*this};
    wall_clock_lock target{database(a.network), till(), {.timeout = 10s}};
    wall_clock_guard guard;
};

}  // namespace

TEST_CASE("a change by the clock that the network repeats is told as done, and once") {
    clocked_till w;
    REQUIRE_FALSE(w.lock());
    w.a.network->set_plan(testing::scripted_faults({repeated}));
    CHECK_FALSE(w.add_five());
    CHECK(w.amount() == 5);
    CHECK(w.guard.held());
    CHECK_FALSE(w.add_five());
    CHECK(w.amount() == 10);
}

TEST_CASE("what closes a change by the clock is not told as that change, though the network repeats it") {
    clocked_till w;
    REQUIRE_FALSE(w.lock());
    w.a.network->set_plan(testing::scripted_faults({fault{.what = fault_kind::lose_request}, {}, repeated}));
    CHECK(w.add_five(attr("mood") == "good") == errc::in_doubt);
    CHECK(w.amount() == 0);
    CHECK(w.guard.held());
}

TEST_CASE("a release by the clock that the network repeats is in doubt: a stranger may have freed the item") {
    clocked_till w;
    REQUIRE_FALSE(w.lock());
    w.a.network->set_plan(testing::scripted_faults({repeated}));
    CHECK(w.release() == errc::in_doubt);
    CHECK_FALSE(w.locked());
}

TEST_CASE("a lock by the clock whose write the network repeats is in doubt, until it is over or another has it") {
    clocked_till w;
    w.a.network->set_plan(testing::scripted_faults({repeated}));
    CHECK(w.lock() == errc::in_doubt);
    CHECK(w.locked());
    // Its moment may be another's that has drawn the same: it is not taken back.
    w.scheduler.run_for(1s);
    CHECK(w.locked());
    SECTION("the next attempt waits for it") {
        CHECK(w.lock({.wait = 1s}) == errc::wait_timeout);
        CHECK_FALSE(w.lock({.wait = 20s}));
        CHECK(w.guard.held());
    }
    SECTION("and so does one that was there from the beginning") {
        w.put({{"id", "north"}, {"amount", 0}});
        w.a.network->set_plan(testing::scripted_faults({repeated}));
        CHECK(w.lock({.wait = 2s}) == errc::in_doubt);
        w.put({{"id", "north"}, {"amount", 0}});
        w.a.network->set_plan(testing::scripted_faults({repeated}));
        CHECK_FALSE(w.lock({.wait = 20s}));
    }
}
