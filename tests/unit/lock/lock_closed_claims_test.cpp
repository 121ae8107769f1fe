// What an answer shows of a claim holds for whoever comes: nothing is in doubt of one that is closed, or has landed.
// SPDX-License-Identifier: BSL-1.0
#include "support/lock_steps.hpp"

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;
using kind = testing::fault::kind;

TEST_CASE("a wait whose claim another's grant has closed is not in doubt, though its place in the line was") {
    world w;
    testing::virtual_clock_options ahead;
    ahead.wall += 1s;
    node a(w, 1);
    node b(w, 2);
    node c(w, 3, ahead);
    node d(w, 4);
    lock_guard held;
    lock_guard next;
    lock_guard last;
    lock_guard mine;
    error_code told;
    run(w, a, take(a, "x", held));
    running first(w, c, take(c, "x", next));
    w.scheduler.run_for(100ms);
    running second(w, d, take(d, "x", last));
    w.scheduler.run_for(100ms);
    // The first copy of the join has no answer; the second is refused, when the lock is another's.
    b.network->set_plan(lock_writes_meet({{}, {.what = kind::lose_answer, .again = 20ms}}));
    running waits(w, b, take_told(lock{*b.session, "x"}, {.wait = 1100ms}, mine, told));
    w.scheduler.run_for(500ms);
    run(w, a, give_back(held));
    waits.wait(2s);
    CHECK(next.held());
    CHECK(told == errc::wait_timeout);
    next = {};
    second.wait(10s);
}

TEST_CASE("whoever comes after a claim was shown closed has nothing in doubt, though nobody was there to see it") {
    world w;
    testing::virtual_clock_options ahead;
    ahead.wall += 1min;
    node a(w, 1);
    node b(w, 2, ahead);
    lock_guard others;
    lock_guard mine;
    error_code told;
    run(w, b, take(b, "x", others));
    // The first copy of the take has no answer. Whoever wanted it has gone when the second is refused.
    a.network->set_plan(lock_writes_meet({{.what = kind::lose_answer, .again = 20ms}}));
    lock target{*a.session, "x"};
    run(w, a, take_told(target, {.wait = 500ms}, mine, told));
    CHECK(told == errc::in_doubt);
    w.scheduler.run_for(530ms);
    run(w, a, take_told(target, {.wait = 20ms}, mine, told));
    CHECK(told == errc::wait_timeout);
}

TEST_CASE("whoever comes while a given-up claim is shown closed has nothing in doubt") {
    world w;
    testing::virtual_clock_options ahead;
    ahead.wall += 1min;
    node a(w, 1);
    node b(w, 2, ahead);
    lock_guard others;
    lock_guard mine;
    error_code told;
    a.network->set_plan(lock_writes_meet({{.what = kind::lose_request}, {.before = 400ms}, throttling()}));
    lock target{*a.session, "x"};
    run(w, a, take_told(target, {.wait = 1010ms}, mine, told));
    CHECK(told == errc::in_doubt);
    run(w, b, take(b, "x", others));
    run(w, a, try_told(target, mine, told));
    CHECK(told == errc::throttled);
}

TEST_CASE("whoever comes while a given-up claim is shown to have landed has the lock") {
    world w;
    node a(w);
    lock_guard mine;
    error_code told;
    // The take lands unheard; what would close it travels for long, and finds it.
    a.network->set_plan(lock_writes_meet({{.what = kind::lose_answer}, {.before = 400ms}, throttling()}));
    lock target{*a.session, "x"};
    run(w, a, take_told(target, {.wait = 1010ms}, mine, told));
    CHECK(told == errc::in_doubt);
    run(w, a, try_told(target, mine, told));
    CHECK_FALSE(told);
    CHECK(mine.held());
}
