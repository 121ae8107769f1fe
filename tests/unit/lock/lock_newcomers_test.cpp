// Callers of one process share its requests: none is told what a lock was before it asked.
// SPDX-License-Identifier: BSL-1.0
#include "support/lock_steps.hpp"
#include "support/refused_data.hpp"

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;
using kind = testing::fault::kind;

namespace {

struct two_processes : world {
    two_processes() {
        lock_guard warm;
        run(*this, a, take(a, "other", warm));
        run(*this, a, give_back(warm));
        run(*this, b, take(b, "x", others));
    }
    node a{*this, 1};
    node b{*this, 2};
    lock target{*a.session, "x"};
    lock_guard others;
    lock_guard guard;
    error_code told;
};

}  // namespace

TEST_CASE("a try is not told who had the lock before it") {
    two_processes w;
    w.a.network->set_plan(testing::scripted_faults({testing::fault{.after = 200ms}}));
    run(w, w.a, take_told(w.target, {.wait = 50ms}, w.guard, w.told));
    CHECK(w.told == errc::in_doubt);
    run(w, w.b, give_back(w.others));
    run(w, w.a, try_told(w.target, w.guard, w.told));
    CHECK_FALSE(w.told);
    CHECK(w.guard.held());
}

TEST_CASE("a row that was mended before the call is no error of it") {
    two_processes w;
    auto damaged = w.row("lock#x");
    const auto whole = damaged;
    damaged.insert_or_assign("floor", "not a number");
    w.apply(put_item_request{.table_name = table, .new_item = damaged});
    w.a.network->set_plan(testing::scripted_faults({testing::fault{.after = 200ms}}));
    error_code early;
    running first(w, w.a, take_told(w.target, {.wait = 1s}, w.guard, early));
    w.scheduler.run_for(100ms);
    w.apply(put_item_request{.table_name = table, .new_item = whole});
    running second(w, w.a, take_told(w.target, {.wait = 5s}, w.guard, w.told));
    w.scheduler.run_for(1s);
    run(w, w.b, give_back(w.others));
    first.wait();
    second.wait();
    CHECK(early == errc::corrupt_row);
    CHECK_FALSE(w.told);
    CHECK(w.guard.held());
}

TEST_CASE("what one caller wants written and may not is no error of the next") {
    two_processes w;
    run(w, w.b, give_back(w.others));
    w.a.network->set_plan(refusing_data(testing::scripted_faults({testing::fault{.after = 200ms}})));
    lock_guard unwanted;
    error_code early;
    const item refused{{refused_member, "x"}};
    running first(w, w.a, take_told(w.target, {.wait = 50ms, .data = refused}, unwanted, early));
    running second(w, w.a, take_told(w.target, {.wait = 5s, .data = {{"note", "short"}}}, w.guard, w.told));
    first.wait();
    second.wait();
    CHECK(early == errc::timeout);  // nobody has answered him
    CHECK_FALSE(w.told);
    CHECK(w.guard.held());
}

TEST_CASE("a try at a lock that nobody has is told of the dead process that stands in its line, and then has it") {
    world w;
    node a(w, 1);
    node b(w, 2);
    node c(w, 3);
    lock_guard held;
    run(w, a, take(a, "x", held));
    lock_guard none;
    running waits(w, b, take(b, "x", none));
    w.scheduler.run_for(1s);
    b.crash();
    run(w, a, give_back(held));
    w.scheduler.run_for(10min);
    lock target{*c.session, "x"};
    lock_guard guard;
    int tries = 0;
    while (!guard && tries < 5) {
        diagnostics why;
        run(w, c, [&]() -> asio::awaitable<void> { guard = co_await target.try_acquire(why); }());
        if (!guard) CHECK(why.message == "nobody has it; another process that stands in line goes first");
        ++tries;
        w.scheduler.run_for(1s);
    }
    CHECK(guard.held());
    CHECK(tries == 3);
}
