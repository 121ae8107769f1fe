// Who gets memory for large requests and answers, and who gives way.
// SPDX-License-Identifier: BSL-1.0
#include "local/http/memory_budget.hpp"

#include <catch2/catch.hpp>

#include <chrono>

namespace dynalease::local::test {

namespace {

constexpr std::size_t half = 100'000;

struct budget_world {
    memory_budget budget{2 * half};
    bool first_lost = false;
    bool second_lost = false;
    memory_budget::share first{budget, [this] { first_lost = true; }};
    memory_budget::share second{budget, [this] { second_lost = true; }};
    memory_budget::share third{budget, [] { FAIL("the youngest lost its share"); }};
    time_point now{};
};

}  // namespace

TEST_CASE("a small buffer needs no share, and a share that is released is free for others") {
    budget_world world;
    CHECK(world.first.cover(2 * half, world.now));
    CHECK(world.second.cover(memory_budget::free_size, world.now));
    CHECK_FALSE(world.second.cover(half, world.now));
    CHECK(world.first.cover(memory_budget::free_size, world.now));
    CHECK(world.second.cover(half, world.now));
    world.second.release();
    CHECK(world.third.cover(2 * half, world.now));
}

TEST_CASE("a share grows and shrinks with its buffer") {
    budget_world world;
    CHECK(world.first.cover(half, world.now));
    CHECK(world.first.cover(2 * half, world.now));
    CHECK_FALSE(world.second.cover(half, world.now));
    CHECK_FALSE(world.first.cover(2 * half + 1, world.now));
    CHECK_FALSE(world.second.cover(half, world.now));  // what was refused has changed nothing
    CHECK(world.first.cover(half, world.now));
    CHECK(world.second.cover(half, world.now));
}

TEST_CASE("who has had a share for longest gives way, after a term and not before") {
    budget_world world;
    REQUIRE(world.first.cover(half, world.now));
    world.now += std::chrono::seconds(1);
    REQUIRE(world.second.cover(half, world.now));
    world.now += memory_budget::term - std::chrono::seconds(1) - std::chrono::nanoseconds(1);
    CHECK_FALSE(world.third.cover(half, world.now));
    world.now += std::chrono::nanoseconds(1);
    CHECK(world.third.cover(half, world.now));
    CHECK(world.first_lost);
    CHECK_FALSE(world.second_lost);
}

TEST_CASE("who wants more makes room himself if nobody has had a share for longer") {
    budget_world world;
    REQUIRE(world.first.cover(half, world.now));
    REQUIRE(world.second.cover(half, world.now));
    world.now += memory_budget::term;
    CHECK_FALSE(world.first.cover(2 * half, world.now));
    CHECK_FALSE(world.first_lost);
    CHECK_FALSE(world.second_lost);
}

}  // namespace dynalease::local::test
