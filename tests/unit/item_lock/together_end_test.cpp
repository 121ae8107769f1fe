// The end of several locked items in one transaction: all the changes and releases, or none.
// SPDX-License-Identifier: BSL-1.0
#include "tills.hpp"

#include <boost/asio/bind_executor.hpp>

#include <catch2/catch.hpp>

#include <cstddef>
#include <variant>

using namespace dynalease;
using namespace dynalease::tests;

TEST_CASE("all changes and all releases are one request") {
    tills_world w;
    node a(w);
    std::vector<item_guard> guards;
    run(w, a, take_all(every_till(a), guards));
    a.network->clear_log();
    run(w, a, commit(add_to_each(std::move(guards), 4)));
    CHECK(a.network->log().size() == 1);
    CHECK(w.all_hold(4));
    CHECK(w.all_unlocked());
    CHECK(*find_integer(w.stored("west"), "version") == 8);
    CHECK(a.session->counters().leases_held == 0);
    item_guard next;
    run(w, a, take(lock_of(a, "north"), next), 1s);
    CHECK(next.held());
}

TEST_CASE("a guard without a change is only released; one may be erased") {
    tills_world w;
    node a(w);
    std::vector<item_guard> guards;
    run(w, a, take_all(every_till(a), guards));
    std::vector<item_commit> parts(3);
    for (std::size_t i = 0; i < 3; ++i) parts[i].guard = std::move(guards[i]);
    parts[0].change = add("amount", 1);
    parts[2].erase = true;
    run(w, a, commit(std::move(parts)));
    CHECK(w.amount("north") == 1);
    CHECK(*find_integer(w.stored("south"), "version") == 7);
    CHECK(w.unlocked("south"));
    CHECK(w.stored("west").empty());
}

TEST_CASE("one condition that is false keeps all from happening, and all are released") {
    tills_world w;
    node a(w);
    std::vector<item_guard> guards;
    run(w, a, take_all(every_till(a), guards));
    auto parts = add_to_each(std::move(guards), 4);
    parts[1].condition = attr("amount") > 100;
    std::string named;
    error_code code;
    try {
        run(w, a, commit(std::move(parts)));
    } catch (const dynalease::error& e) {
        code = e.code();
        named = e.diagnostics().key;
    }
    CHECK(code == errc::condition_failed);
    CHECK(named == "tills/south");
    CHECK(w.all_hold(0));
    w.scheduler.run_for(1s);
    CHECK(w.all_unlocked());
}

TEST_CASE("one lock that was lost keeps all from happening") {
    tills_world w;
    node a(w, 1);
    node b(w, 2);
    std::vector<item_guard> guards;
    item_guard taken;
    run(w, a, take_all(every_till(a), guards));
    w.put({{"id", "south"}, {"amount", 0}});  // a foreign writer that knows no locks
    run(w, b, take(lock_of(b, "south"), taken));
    error_code code;
    run(w, a, code_of(commit(add_to_each(std::move(guards), 4)), code));
    CHECK(code == errc::lock_lost);
    CHECK(w.all_hold(0));
    CHECK(taken.held());
    w.scheduler.run_for(1s);
    CHECK(w.unlocked("north"));
    CHECK_FALSE(w.unlocked("south"));
}

TEST_CASE("what was only read is a condition of what is written") {
    tills_world w;
    node a(w, 1);
    std::vector<item_guard> guards;
    std::vector<item_demand> wanted{{lock_of(a, "north"), true}, {lock_of(a, "south")}};
    run(w, a, take_all(wanted, guards));
    CHECK_FALSE(guards[0].exclusive());
    run(w, a, commit(add_to_each(std::move(guards), 1)));
    CHECK(w.amount("north") == 0);
    CHECK(w.amount("south") == 1);
    w.scheduler.run_for(1s);
    CHECK(w.all_unlocked());

    run(w, a, take_all(wanted, guards));
    w.put({{"id", "north"}, {"amount", 50}});
    error_code code;
    run(w, a, code_of(commit(add_to_each(std::move(guards), 1)), code));
    CHECK(code == errc::lock_lost);
    CHECK(w.amount("south") == 1);
}

TEST_CASE("a commit of guards that cannot write is refused, and gives them back") {
    tills_world w;
    node a(w, 1);
    node b(w, 2);
    std::vector<item_guard> guards;
    error_code code;
    run(w, a, take_all(every_till(a, true), guards));
    std::vector<item_commit> parts;
    parts.push_back({.guard = std::move(guards[0]), .change = add("amount", 1)});
    run(w, a, code_of(commit(std::move(parts)), code));
    CHECK(code == errc::not_exclusive);
    guards.clear();
    w.scheduler.run_for(1s);
    CHECK(w.all_unlocked());

    item_guard mine;
    item_guard theirs;
    run(w, a, take(lock_of(a, "north"), mine));
    run(w, b, take(lock_of(b, "south"), theirs));
    std::vector<item_commit> mixed;
    mixed.push_back({.guard = std::move(mine)});
    mixed.push_back({.guard = std::move(theirs)});
    code = {};
    run(w, a, code_of(commit(std::move(mixed)), code));
    CHECK(code == errc::invalid_option);
    w.scheduler.run_for(1s);
    CHECK(w.all_unlocked());

    run(w, a, take(lock_of(a, "north"), mine));
    std::vector<item_commit> reserved;
    reserved.push_back({.guard = std::move(mine), .change = set("_lockF", 1)});
    code = {};
    run(w, a, code_of(commit(std::move(reserved)), code));
    CHECK(code == errc::reserved_name);

    diagnostics why;
    why.message = "of something else";
    code = {};
    commit_all(std::vector<item_commit>(1), why, [&code](error_code ended) { code = ended; });
    CHECK(code == errc::not_held);
    CHECK(why.operation == "commit_all");
    CHECK(why.message == "guard 1 of 1 is empty");
}

TEST_CASE("what is called with nothing answers outside of the call, however often") {
    tills_world w;
    node a(w);
    const auto call_often = [](int& refused) -> asio::awaitable<void> {
        for (int i = 0; i < 30'000; ++i) {
            auto [code] = co_await commit_all({}, as_tuple);
            refused += code == errc::not_held;
        }
    };
    int refused = 0;
    run(w, a, call_often(refused));
    CHECK(refused == 30'000);
    bool called = false;
    const auto executor = a.process->get_executor();
    acquire_all({}, asio::bind_executor(executor, [&](error_code, std::vector<item_guard>) { called = true; }));
    CHECK_FALSE(called);
    w.scheduler.run_for(1s);
    CHECK(called);
}

TEST_CASE("two readers' guards of one item are tested as one, and a change of another item goes with them") {
    tills_world w;
    node a(w);
    item_guard first;
    item_guard second;
    item_guard writer;
    run(w, a, share(lock_of(a, "north"), first));
    run(w, a, share(lock_of(a, "north"), second));
    run(w, a, take(lock_of(a, "south"), writer));
    std::vector<item_guard> guards;
    guards.push_back(std::move(first));
    guards.push_back(std::move(second));
    guards.push_back(std::move(writer));
    run(w, a, commit(add_to_each(std::move(guards), 1)));
    CHECK(w.amount("south") == 1);
    w.scheduler.run_for(1s);
    CHECK(w.all_unlocked());
}

TEST_CASE("no copy of a commit leaves once its session has ended, though it did between two of them") {
    tills_world w;
    node a(w);
    std::vector<item_guard> guards;
    run(w, a, take_all(every_till(a), guards));
    std::size_t copies = 0;
    a.network->set_plan([&](const any_request& request, const call_options&) -> testing::fault {
        if (!std::holds_alternative<transact_write_items_request>(request))
            return {.what = testing::fault::kind::lose_request};
        CHECK(a.session->lives() == 1);
        ++copies;
        return {.what = testing::fault::kind::fail, .answer = failure(errc::throttled, outcome::not_applied)};
    });
    w.scheduler.run_for(5s);
    error_code code;
    try {
        run(w, a, commit(add_to_each(std::move(guards), 4)));
    } catch (const dynalease::error& e) {
        code = e.code();
    }
    CHECK(copies > 3);
    CHECK(code == errc::session_lost);
    a.network->set_plan({});
    w.scheduler.run_for(1min);
    CHECK(w.all_hold(0));
}
