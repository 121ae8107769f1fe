// Many who wait for one item, and items that are as large as may be.
// SPDX-License-Identifier: BSL-1.0
#include "support/processor_time.hpp"
#include "tills.hpp"

#include <dynalease/versioned.hpp>

#include <catch2/catch.hpp>

#include <memory>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

asio::awaitable<void> take_in_time(node& in, bool reads, std::chrono::nanoseconds wait, std::size_t& ended) {
    const item_acquire_options how{.wait = wait};
    auto target = lock_in(in);
    std::tuple<error_code, item_guard> done;
    if (reads) {
        done = co_await target.acquire_shared(how, as_tuple);
    } else {
        done = co_await target.acquire(how, as_tuple);
    }
    if (std::get<0>(done) == errc::wait_timeout) ++ended;
}

constexpr std::size_t largest_item = 409'600;

/// An item of so many bytes.
item of_size(std::size_t bytes) {
    item made{{"id", "north"}, {"amount", 0}, {"text", ""}};
    made["text"] = std::string(bytes - item_size(made), 'x');
    return made;
}

}  // namespace

TEST_CASE("waiters for an item that end together cost as much each, however many they are", "[effort]") {
    const bool reads = GENERATE(false, true);
    const auto end_together = [&](std::size_t waiting) {
        return processor_seconds([&] {
            till_world w;
            node a(w);
            item_guard held;
            run(w, a, take(lock_in(a), held));
            std::size_t ended = 0;
            std::vector<std::unique_ptr<running>> waits;
            for (std::size_t i = 0; i < waiting; ++i) {
                waits.push_back(std::make_unique<running>(w, a, take_in_time(a, reads, 5s, ended)));
            }
            w.scheduler.run_for(6s);
            REQUIRE(ended == waiting);
        });
    };
    // Were each to look at all the others, it would be 16 times.
    CHECK(end_together(12'000) < 8 * end_together(3'000));
}

TEST_CASE("an item that has no room for its lock is told as too large") {
    tills_world w;
    node a(w);
    w.put(of_size(largest_item - 40));
    item_guard guard;
    std::vector<item_guard> guards;
    error_code code;
    SECTION("alone") {
        run(w, a, code_of(take(lock_in(a), guard, {.wait = 20s}), code));
    }
    SECTION("as a reader") {
        run(w, a, code_of(share(lock_in(a), guard, {.wait = 20s}), code));
    }
    SECTION("with others") {
        run(w, a, code_of(take_all(every_till(a), guards, {.wait = 20s}), code));
    }
    CHECK(code == errc::item_too_large);
    w.scheduler.run_for(15min);
    CHECK(w.all_unlocked());
    CHECK(a.session->counters().resolving == 0);
}

TEST_CASE("a write under a lock that makes the item too large is told so, and the guard stays valid") {
    till_world w;
    node a(w);
    w.put(of_size(largest_item - 500));
    item_guard guard;
    error_code code;
    run(w, a, take(lock_in(a), guard));
    const auto grow = [](item_guard& mine) -> asio::awaitable<void> {
        auto change = set("more", std::string(1000, 'x'));
        co_await mine.update(std::move(change));
    };
    run(w, a, code_of(grow(guard), code));
    CHECK(code == errc::item_too_large);
    CHECK(guard.held());
    const auto grow_together = [](item_guard mine) -> asio::awaitable<void> {
        std::vector<item_commit> parts(1);
        parts.front().guard = std::move(mine);
        parts.front().change = set("more", std::string(1000, 'x'));
        co_await commit_all(std::move(parts));
    };
    code = {};
    run(w, a, code_of(grow_together(std::move(guard)), code));
    CHECK(code == errc::item_too_large);
    w.scheduler.run_for(1s);
    CHECK(w.unlocked());
}
