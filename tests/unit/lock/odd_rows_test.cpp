// Rows as no client of ours would leave them: what their user is told, and what he gets.
// SPDX-License-Identifier: BSL-1.0
#include "support/lock_steps.hpp"

#include <catch2/catch.hpp>

#include <limits>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

void remove_row(world& where) {
    where.apply(delete_item_request{.table_name = table, .key = {{"pk", "lock#x"}, {"sk", "-"}}});
}

}  // namespace

TEST_CASE("a floor that leaves no token above it fails the acquire and is left untouched") {
    world w;
    node a(w);
    const item spoilt{{"pk", "lock#x"}, {"sk", "-"}, {"v", 1}, {"floor", std::numeric_limits<std::int64_t>::max()}};
    w.apply(put_item_request{.table_name = table, .new_item = spoilt});
    lock_guard guard;
    try {
        run(w, a, take(lock{*a.session, "x"}, guard));
        FAIL("it was granted");
    } catch (const error& e) {
        CHECK(e.code() == errc::corrupt_row);
        CHECK(e.diagnostics().message.find("floor") != std::string::npos);
    }
    CHECK(w.row("lock#x") == spoilt);
}

TEST_CASE("a holder that is no string does not make the lock free") {
    world w;
    node a(w);
    const item spoilt{{"pk", "lock#x"}, {"sk", "-"}, {"v", 1}, {"floor", 1}, {"holder", true}};
    w.apply(put_item_request{.table_name = table, .new_item = spoilt});
    lock_guard guard;
    error_code told;
    run(w, a, take_told(lock{*a.session, "x"}, {.wait = 1min}, guard, told));
    CHECK(told == errc::corrupt_row);
    CHECK(a.requests("lock#x") == 1);
    CHECK(w.row("lock#x") == spoilt);
}

TEST_CASE("a token chosen before the row was removed is not granted after it") {
    world w;
    node a(w, 1);
    node b(w, 2);
    lock_guard first;
    lock_guard second;
    run(w, a, take(lock{*a.session, "x"}, first));
    running waits(w, b, take(lock{*b.session, "x"}, second));
    w.scheduler.run_for(30s);
    REQUIRE_FALSE(waits.done());

    // Whoever was granted the lock between two looks of the one who waits had a token of about now.
    const auto now = b.environment.clock->wall().time_since_epoch().count();
    remove_row(w);
    waits.wait(1s);
    CHECK(second.fencing_token() >= now);
}

TEST_CASE("a row that was removed costs its former holder one request more") {
    world w;
    node a(w);
    lock_guard guard;
    run(w, a, take(lock{*a.session, "x"}, guard));
    const auto first = guard.fencing_token();
    run(w, a, give_back(guard));
    remove_row(w);
    a.network->clear_log();
    run(w, a, take(lock{*a.session, "x"}, guard));
    CHECK(guard.fencing_token() > first);
    CHECK(a.requests("lock#x") == 2);
}
