// Many callers of one process that want the same items: they queue in memory.
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
