// What a hook is told of locks by the wall clock.
// SPDX-License-Identifier: BSL-1.0
#include "support/grant_notes.hpp"
#include "support/till.hpp"

#include <dynalease/wall_clock_lock.hpp>

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

using enum grant_event;
using events = std::vector<grant_event>;

wall_clock_lock told_lock_in(node& in, grant_notes& notes) {
    const wall_clock_options options{.timeout = 10s};
    return observed(wall_clock_lock(database(in.network), till(), options), notes.hook());
}

asio::awaitable<void> take_by_clock(wall_clock_lock lock, wall_clock_guard& into) {
    into = co_await lock.acquire();
}
asio::awaitable<void> try_by_clock(wall_clock_lock lock, wall_clock_guard& into) {
    into = co_await lock.try_acquire();
}
asio::awaitable<void> take_for(wall_clock_lock lock, std::chrono::nanoseconds wait, error_code& code) {
    const item_acquire_options options{.wait = wait};
    auto done = co_await lock.acquire(options, as_tuple);
    code = std::get<0>(done);
}
asio::awaitable<void> release_by_clock(wall_clock_guard& guard) {
    co_await guard.release();
}

}  // namespace

TEST_CASE("a lock by the clock is told as any other, but for a token") {
    grant_notes notes;
    till_world w;
    node a(w);
    const auto lock = told_lock_in(a, notes);
    wall_clock_guard guard;
    run(w, a, take_by_clock(lock, guard));
    w.scheduler.run_for(2s);
    error_code code;
    run(w, a, take_for(lock, 1s, code));
    wall_clock_guard none;
    run(w, a, try_by_clock(lock, none));
    run(w, a, release_by_clock(guard));
    REQUIRE(notes.events() == events{granted, not_granted, not_granted, released});
    CHECK(notes.told[0].verb == "wall_clock_lock.acquire");
    CHECK(notes.told[0].name == "tills/north");
    CHECK(notes.told[0].table == "tills");
    CHECK(notes.told[0].token == 0);
    CHECK(notes.told[0].requests == 1);
    CHECK(notes.told[1].code == errc::wait_timeout);
    CHECK(notes.told[1].requests > 1);
    CHECK(notes.told[1].took >= 1s);
    CHECK(notes.told[2].verb == "wall_clock_lock.try_acquire");
    CHECK(notes.told[2].words.find("others hold it, as the item says since ") == 0);
    CHECK(notes.told[3].id == notes.told[0].id);
    CHECK(notes.told[3].took >= 3s);
    CHECK_FALSE(notes.told[3].code);
}

TEST_CASE("one whose time runs out is told as lost when its guard ends, with the time that it had") {
    grant_notes notes;
    till_world w;
    node a(w);
    wall_clock_guard guard;
    run(w, a, take_by_clock(told_lock_in(a, notes), guard));
    const auto had = guard.time_left();
    w.scheduler.run_for(1min);
    guard = {};
    w.scheduler.run_for(1min);
    REQUIRE(notes.events() == events{granted, lost});
    CHECK(notes.told[1].code == errc::lock_lost);
    CHECK(notes.told[1].took >= had);
    CHECK(notes.told[1].took <= had + 1ms);
}
