// Many callers of one process that want the same items: they queue in memory.
// SPDX-License-Identifier: BSL-1.0
#include "tills.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <list>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

asio::awaitable<void> one_of_many(node& in, bool backwards, int& done) {
    auto wanted = every_till(in);
    if (backwards) std::reverse(wanted.begin(), wanted.end());
    auto guards = co_await acquire_all(std::move(wanted));
    auto parts = add_to_each(std::move(guards), 1);
    co_await commit_all(std::move(parts));
    ++done;
}

struct many_callers : tills_world {
    explicit many_callers(int count) {
        for (int i = 0; i < count; ++i) callers.emplace_back(*this, a, one_of_many(a, i % 2 == 1, done));
    }
    std::size_t sent() const { return a.network->log().size(); }

    node a{*this, 1};
    node b{*this, 2};
    int done = 0;
    std::list<running> callers;
};

/// Notes who got them when.
asio::awaitable<void> note_turn(node& in, std::vector<item_demand> wanted, int number, std::vector<int>& turns) {
    auto guards = co_await acquire_all(std::move(wanted));
    turns.push_back(number);
    co_await sleep(in, 10ms);
    auto parts = add_to_each(std::move(guards), 1);
    co_await commit_all(std::move(parts));
}

item_lock rarely_looking(node& in, const char* which) {
    return item_lock{*in.session, till(which), {.longest_poll_interval = 1min}};
}

asio::awaitable<void> single_turns(node& in, const bool& stops, int& turns) {
    while (!stops) {
        auto guard = co_await lock_of(in, "south").acquire();
        ++turns;
        co_await sleep(in, 100ms);
        co_await guard.release();
    }
}

}  // namespace

TEST_CASE("callers of one process that want the same items take turns without looking at the table") {
    const int count = 40;
    many_callers w(count);
    const auto begun = w.scheduler.now();
    for (auto& each : w.callers) each.wait(10s);
    CHECK(w.done == count);
    CHECK(w.all_hold(count));
    CHECK(w.scheduler.now() - begun < 1s);
    // The session's row, then for each a transaction to lock, one read, and a transaction to commit.
    CHECK(w.sent() <= 3 * count + 10);
}

TEST_CASE("of those in one process that want the same items of another, one looks for all") {
    many_callers w(0);
    item_guard theirs;
    run(w, w.b, take(lock_of(w.b, "south"), theirs));
    const int count = 30;
    for (int i = 0; i < count; ++i) w.callers.emplace_back(w, w.a, one_of_many(w.a, false, w.done));
    w.scheduler.run_for(2s);
    w.a.network->clear_log();
    w.scheduler.run_for(10s);
    CHECK(w.sent() <= 50);
    run(w, w.b, give_back(theirs));
    for (auto& each : w.callers) each.wait(1min);
    CHECK(w.done == count);
}

TEST_CASE("who wants several items is not kept out by those of the same process that take turns at one of them") {
    many_callers w(0);
    bool stops = false;
    int turns = 0;
    running one(w, w.a, single_turns(w.a, stops, turns));
    running two(w, w.a, single_turns(w.a, stops, turns));
    w.scheduler.run_for(1s);
    const auto before = turns;
    w.callers.emplace_back(w, w.a, one_of_many(w.a, false, w.done));
    w.callers.back().wait(30s);
    CHECK(turns - before <= 12);
    stops = true;
    one.wait();
    two.wait();
}

TEST_CASE("a caller in line that is cancelled does not hold up those behind it") {
    many_callers w(0);
    std::vector<item_guard> first;
    run(w, w.a, take_all(every_till(w.a), first));
    std::vector<item_guard> second;
    error_code code;
    running waits(w, w.a, code_of(take_all(every_till(w.a), second, {.wait = 500ms}), code));
    w.callers.emplace_back(w, w.a, one_of_many(w.a, false, w.done));
    waits.wait();
    CHECK(code == errc::wait_timeout);
    const auto begun = w.scheduler.now();
    run(w, w.a, commit(add_to_each(std::move(first), 1)));
    w.callers.back().wait(10s);
    CHECK(w.scheduler.now() - begun < 200ms);
}

TEST_CASE("those who want the same items are served in the order in which they came, however long they wait") {
    many_callers w(0);
    std::vector<item_guard> first;
    run(w, w.a, take_all(every_till(w.a), first));
    std::vector<int> turns;
    const auto arrives = [&](int number, std::vector<item_demand> wanted) {
        w.callers.emplace_back(w, w.a, note_turn(w.a, std::move(wanted), number, turns));
        w.scheduler.run_for(170ms);
    };
    for (int i = 0; i < 8; ++i) arrives(i, every_till(w.a));
    run(w, w.a, commit(add_to_each(std::move(first), 1)));
    // One that comes as the items go from hand to hand does not pass those who wait.
    w.callers.emplace_back(w, w.a, note_turn(w.a, every_till(w.a), 8, turns));
    for (auto& each : w.callers) each.wait(10s);
    CHECK(turns == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8});
}

TEST_CASE("one that is called for an item, and waits for another instead, does not keep it from the next in line") {
    many_callers w(0);
    const auto lock = [&](const char* which) { return rarely_looking(w.a, which); };
    item_guard north;
    item_guard south;
    run(w, w.a, take(lock("south"), south));
    std::vector<int> turns;
    const auto wants = [&](int number, const char* one, const char* other) {
        std::vector<item_demand> wanted{{lock(one)}, {lock(other)}};
        w.callers.emplace_back(w, w.a, note_turn(w.a, std::move(wanted), number, turns));
        w.scheduler.run_for(20ms);
    };
    wants(0, "north", "south");
    wants(1, "south", "west");
    run(w, w.a, take(lock("north"), north));
    run(w, w.a, give_back(south));
    w.scheduler.run_for(200ms);
    CHECK(turns == std::vector<int>{1});
    run(w, w.a, give_back(north));
    w.callers.front().wait(1s);
    CHECK(turns == std::vector<int>{1, 0});
}

TEST_CASE("one that moves from item to item keeps its place before those who came after it") {
    many_callers w(0);
    item_guard north;
    item_guard south;
    run(w, w.a, take(lock_of(w.a, "north"), north));
    std::vector<int> turns;
    const auto wants = [&](int number) {
        std::vector<item_demand> wanted{{lock_of(w.a, "north")}, {lock_of(w.a, "south")}};
        w.callers.emplace_back(w, w.a, note_turn(w.a, std::move(wanted), number, turns));
        w.scheduler.run_for(20ms);
    };
    wants(0);
    run(w, w.a, take(lock_of(w.a, "south"), south));
    run(w, w.a, give_back(north));
    // It waits for the south by now, and north is in other hands again when the next one comes.
    run(w, w.a, take(lock_of(w.a, "north"), north));
    wants(1);
    run(w, w.a, give_back(south));
    w.scheduler.run_for(20ms);
    run(w, w.a, give_back(north));
    for (auto& each : w.callers) each.wait(10s);
    CHECK(turns == std::vector<int>{0, 1});
}

TEST_CASE("who looks out for several items is told at once that the session is over") {
    many_callers w(0);
    item_guard theirs;
    run(w, w.b, take(lock_of(w.b, "south"), theirs));
    std::vector<item_guard> guards;
    error_code code;
    std::vector<item_demand> wanted{{rarely_looking(w.a, "north")}, {rarely_looking(w.a, "south")}};
    const running waits(w, w.a, code_of(take_all(std::move(wanted), guards), code));
    // By now it looks once a minute.
    w.scheduler.run_for(10min);
    w.a.session->close({}, [](error_code, const close_report&) {});
    w.scheduler.run_for(100ms);
    CHECK(waits.done());
    CHECK(code == errc::session_closed);
}

TEST_CASE("a try asks for an item that is still in the hand of those who wanted it with others and have left") {
    // A plain session waits no longer than a lease without an answer.
    const bool plain = GENERATE(false, true);
    tills_world w;
    const auto a = plain ? plain_node(w, 1) : std::make_unique<node>(w);
    item_guard mine;
    run(w, *a, take(lock_of(*a, "north"), mine));
    run(w, *a, give_back(mine));
    a->network->set_plan([](const any_request& request, const call_options&) {
        const bool together = std::holds_alternative<transact_write_items_request>(request);
        return testing::fault{together ? testing::fault::kind::lose_request : testing::fault::kind::pass};
    });
    std::vector<item_guard> never;
    error_code code;
    run(w, *a, code_of(take_all(every_till(*a), never, {.wait = plain ? 1min : 500ms}), code));
    CHECK(code == errc::in_doubt);
    run(w, *a, try_take(lock_of(*a, "north"), mine));
    CHECK(mine.held());
}
