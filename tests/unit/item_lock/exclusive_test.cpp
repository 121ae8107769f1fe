// One writer at a time: what it costs, who comes next, and what becomes of the dead.
// SPDX-License-Identifier: BSL-1.0
#include "support/till.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <catch2/catch.hpp>

#include <vector>

using namespace dynalease;
using namespace dynalease::tests;

TEST_CASE("lock, change and unlock are three writes, or two with the change in the last") {
    till_world w;
    node a(w);
    item_lock lock{*a.session, till()};
    item_guard guard;
    run(w, a, take(lock, guard));
    CHECK(a.requests("north") == 1);
    CHECK(guard.held());
    CHECK(guard.exclusive());
    CHECK(guard.fencing_token() > 0);
    CHECK(*find_integer(guard.item(), "amount") == 0);
    run(w, a, add_to(guard, 5));
    CHECK(*find_integer(guard.item(), "amount") == 5);
    run(w, a, give_back(guard));
    CHECK(a.requests("north") == 3);
    CHECK_FALSE(guard.held());
    CHECK(w.amount() == 5);
    CHECK(w.unlocked());

    a.network->clear_log();
    run(w, a, take(lock, guard));
    run(w, a, add_and_release(guard, 2));
    CHECK(a.requests("north") == 2);
    CHECK(guard.state() == guard_state::released);
    CHECK(w.amount() == 7);
    CHECK(w.unlocked());
    CHECK(a.session->counters().leases_held == 0);
}

TEST_CASE("an item that does not exist is not locked, and not made") {
    till_world w;
    node a(w);
    item_lock lock{*a.session, {"tills", {{"id", "south"}}}};
    item_guard guard;
    error_code code;
    run(w, a, code_of(take(lock, guard), code));
    CHECK(code == errc::missing);
    CHECK_FALSE(guard);
    const get_item_request look{.table_name = "tills", .key = {{"id", "south"}}};
    CHECK_FALSE(w.apply(look).found);
}

TEST_CASE("another process waits for its turn, and is told when the wait is too long") {
    till_world w;
    node a(w, 1);
    node b(w, 2);
    item_guard first;
    item_guard second;
    item_lock theirs{*b.session, till()};
    run(w, a, take(item_lock{*a.session, till()}, first));
    error_code code;
    run(w, b, code_of(take(theirs, second, {.wait = 2s}), code));
    CHECK(code == errc::wait_timeout);
    CHECK(code == condition::contended);

    running waits(w, b, take(theirs, second));
    w.scheduler.run_for(3s);
    CHECK_FALSE(waits.done());
    const auto token = first.fencing_token();
    run(w, a, give_back(first));
    waits.wait(2s);
    CHECK(second.held());
    CHECK(second.fencing_token() > token);
}

TEST_CASE("a try of an item in other hands gives an empty guard, and takes it once its holder is dead") {
    till_world w;
    auto a = std::make_unique<node>(w, 1);
    node b(w, 2);
    item_guard first;
    item_guard second;
    item_lock theirs{*b.session, till()};
    run(w, *a, take(item_lock{*a->session, till()}, first));
    run(w, b, try_take(theirs, second));
    CHECK_FALSE(second);

    first = {};
    a->crash();
    w.scheduler.run_for(500ms);
    for (int tries = 0; tries < 60 && !second; ++tries) {
        run(w, b, try_take(theirs, second));
        w.scheduler.run_for(1s);
    }
    CHECK(second.held());
    CHECK(b.session->counters().marked_dead <= 1);
}

TEST_CASE("inside a process the item goes from hand to hand, in order, by one write each") {
    till_world w;
    node a(w);
    item_lock lock{*a.session, till()};
    std::vector<item_guard> guards(4);
    std::vector<std::unique_ptr<running>> waiting;
    run(w, a, take(lock, guards[0]));
    for (std::size_t i = 1; i < guards.size(); ++i) {
        waiting.push_back(std::make_unique<running>(w, a, take(lock, guards[i])));
        w.scheduler.run_for(10ms);
    }
    a.network->clear_log();
    for (std::size_t i = 0; i + 1 < guards.size(); ++i) {
        run(w, a, give_back(guards[i]));
        waiting[i]->wait(1s);
        CHECK(guards[i + 1].held());
        CHECK(guards[i + 1].fencing_token() > guards[i].fencing_token());
    }
    CHECK(a.requests("north") == 3);
}

TEST_CASE("whoever stops waiting leaves nothing behind") {
    till_world w;
    node a(w, 1);
    node b(w, 2);
    node c(w, 3);
    item_guard reader;
    run(w, a, share(item_lock{*a.session, till()}, reader));
    for (const auto type : {asio::cancellation_type::terminal, asio::cancellation_type::total}) {
        asio::cancellation_signal signal;
        std::optional<error_code> code;
        item_lock theirs{*b.session, till()};
        theirs.acquire(item_acquire_options{},
                       asio::bind_cancellation_slot(signal.slot(), [&](error_code ec, item_guard) { code = ec; }));
        w.scheduler.run_for(2s);
        CHECK(w.stored().contains("_lockI"));
        signal.emit(type);
        w.scheduler.run_for(2s);
        REQUIRE(code);
        CHECK(*code == condition::cancelled);
        CHECK_FALSE(w.stored().contains("_lockI"));
        CHECK(b.session->counters().resolving == 0);
    }
    item_guard another;
    run(w, c, share(item_lock{*c.session, till()}, another), 1s);
    CHECK(another.held());
}

TEST_CASE("a guard that is dropped frees its item, and closing the session frees them all") {
    till_world w;
    node a(w);
    item_lock lock{*a.session, till()};
    {
        item_guard guard;
        run(w, a, take(lock, guard));
    }
    w.scheduler.run_for(1s);
    CHECK(w.unlocked());

    item_guard guard;
    run(w, a, take(lock, guard));
    std::optional<close_report> report;
    a.session->close({}, [&](error_code, close_report seen) { report = std::move(seen); });
    w.scheduler.run_for(1s);
    REQUIRE(report);
    CHECK(report->released == 1);
    CHECK_FALSE(guard.held());
    CHECK(w.unlocked());
}

TEST_CASE("a session that closes while the first write for an item is under way waits for its answer, and no longer") {
    till_world w;
    node a(w, 1);
    node b(w, 2);
    item_guard warm;
    run(w, a, take(lock_in(a), warm));
    run(w, a, give_back(warm));
    item_guard others;
    run(w, b, take(lock_in(b), others));
    a.network->set_plan(
        [](const any_request&, const call_options&) { return testing::fault{.before = 50ms, .after = 50ms}; });
    item_guard guard;
    error_code code;
    running taking(w, a, code_of(take(lock_in(a), guard), code));
    w.scheduler.run_for(20ms);
    const auto began = w.scheduler.now();
    std::optional<close_report> report;
    a.session->close({}, [&](error_code, close_report seen) { report = std::move(seen); });
    while (!report) REQUIRE(w.scheduler.step());
    CHECK(code == condition::lost);
    CHECK(w.scheduler.now() - began <= 190ms);
}
