// What each condition of the lock's requests does: every one against the table, and late copies of all of them.
// SPDX-License-Identifier: BSL-1.0
#include "support/row_world.hpp"

#include <catch2/catch.hpp>

#include <vector>

namespace dynalease::protocol::test {

namespace {

const std::string a = "a";
const std::string b = "b";
const std::string c = "c";
const lock_requests by_a{table, "orders", a};
const lock_requests by_b{table, "orders", b};
const lock_requests by_c{table, "orders", c};

}  // namespace

TEST_CASE("no copy of a request lands once its claim is closed") {
    row_world world;
    const claim first{1, 10};
    const claim second{2, 20};
    const auto take = by_a.take(first, {}, {});
    const auto join = by_a.join(first);
    const auto hand = by_a.hand_over(first, second, {});
    const auto release = by_a.release(first, second, true, 4'000'000'000);
    const auto void_free = by_a.void_free(first, 4'000'000'000);

    REQUIRE(world.applies(take));
    CHECK_FALSE(world.applies(take));
    CHECK_FALSE(world.applies(join));
    REQUIRE(world.applies(hand));
    CHECK_FALSE(world.applies(hand));
    REQUIRE(world.applies(release));
    for (const auto& late : {take, join, hand, release, void_free}) CHECK_FALSE(world.applies(late));
    const auto row = world.lock("orders");
    CHECK(row.free());
    CHECK(row.token == 20);
    CHECK(row.line == std::vector<std::string>{"a"});
}

TEST_CASE("a voided claim never lands, whoever holds the lock meanwhile") {
    row_world world;
    const claim mine{1, 30};
    REQUIRE(world.applies(by_b.take({1, 10}, {}, {})));
    CHECK_FALSE(world.applies(by_a.void_free(mine, 4'000'000'000)));
    REQUIRE(world.applies(by_a.void_held(mine)));
    CHECK(world.lock("orders").held_by("b", 1));
    CHECK(world.lock("orders").token == 10);
    REQUIRE(world.applies(by_b.release({1, 10}, {}, false, 4'000'000'000)));
    CHECK_FALSE(world.applies(by_a.take(mine, {}, {})));
    CHECK_FALSE(world.applies(by_a.void_held({2, 40})));
    CHECK(world.applies(by_a.void_free({2, 40}, 4'000'000'000)));
}

TEST_CASE("a take-over names the very grant that it takes") {
    row_world world;
    REQUIRE(world.applies(by_a.take({1, 10}, {}, {})));
    CHECK_FALSE(world.applies(by_b.take({1, 20}, {}, {})));
    CHECK_FALSE(world.applies(by_b.take({1, 20}, {.over = lock_holder{"a", 2}}, {})));
    CHECK_FALSE(world.applies(by_b.take({1, 20}, {.over = lock_holder{"c", 1}}, {})));
    CHECK_FALSE(world.applies(by_b.take({1, 10}, {.over = lock_holder{"a", 1}}, {})));
    CHECK(world.applies(by_b.take({1, 20}, {.over = lock_holder{"a", 1}}, {.data = {{"job", "x"}}})));
    CHECK_FALSE(world.applies(by_a.release({1, 10}, {}, false, 1)));
    CHECK(world.lock("orders").data == item{{"job", "x"}});
}

TEST_CASE("the fence holds for one grant, not for its session") {
    row_world world;
    REQUIRE(world.applies(by_a.take({1, 10}, {}, {})));
    const auto fence = by_a.fence({1, 10});
    CHECK(world.holds(fence));
    REQUIRE(world.applies(by_a.hand_over({1, 10}, {2, 20}, {})));
    CHECK_FALSE(world.holds(fence));
    CHECK(world.holds(by_a.fence({2, 20})));
    REQUIRE(world.applies(by_a.release({2, 20}, {}, false, 4'000'000'000)));
    CHECK_FALSE(world.holds(by_a.fence({2, 20})));
}

TEST_CASE("the line: newcomers stand behind, places pass a bounded number of times") {
    row_world world;
    CHECK_FALSE(world.applies(by_b.join({1, 5})));  // nothing to wait for
    REQUIRE(world.applies(by_a.take({1, 10}, {}, {})));
    REQUIRE(world.applies(by_b.join({1, 11})));
    CHECK_FALSE(world.applies(by_b.join({1, 11})));
    REQUIRE(world.applies(by_c.join({1, 12})));
    REQUIRE(world.applies(by_a.release({1, 10}, {}, false, 4'000'000'000)));
    CHECK_FALSE(world.applies(by_a.take({2, 20}, {}, {})));
    CHECK_FALSE(world.applies(by_c.take({1, 20}, {.place = 0}, {})));

    std::int64_t token = 20;
    for (std::int64_t overtaken = 0; overtaken < overtaking_bound; ++overtaken) {
        const claim mine{++token, token};
        REQUIRE(world.applies(by_c.take(mine, {.place = 1}, {})));
        REQUIRE(world.applies(by_c.release(mine, {}, true, 4'000'000'000)));
    }
    CHECK(world.lock("orders").passed == overtaking_bound);
    CHECK_FALSE(world.applies(by_c.take({90, 90}, {.place = 1}, {})));

    const auto floor = world.lock("orders").floor;
    CHECK_FALSE(world.applies(by_c.take({90, 90}, {.place = 1, .drop_head = take_form::absent_head{"b", 1}}, {})));
    REQUIRE(world.applies(by_c.take({90, 90}, {.place = 1, .drop_head = take_form::absent_head{"b", floor}}, {})));
    CHECK(world.lock("orders").line.empty());
    CHECK(world.lock("orders").passed == 0);
}

TEST_CASE("the line has a bound") {
    row_world world;
    REQUIRE(world.applies(by_a.take({1, 10}, {}, {})));
    for (std::size_t i = 0; i < line_capacity; ++i) {
        const auto each = "waiter-" + std::to_string(i);
        REQUIRE(world.applies(lock_requests(table, "orders", each).join({1, 11})));
    }
    CHECK_FALSE(world.applies(by_b.join({1, 11})));
}

TEST_CASE("leaving the line closes the claim") {
    row_world world;
    REQUIRE(world.applies(by_a.take({1, 10}, {}, {})));
    const auto join = by_b.join({1, 11});
    REQUIRE(world.applies(join));
    CHECK_FALSE(world.applies(by_c.leave({1, 12}, 0)));
    REQUIRE(world.applies(by_b.leave({1, 11}, 0)));
    CHECK_FALSE(world.applies(join));
    CHECK(world.lock("orders").line.empty());
    REQUIRE(world.applies(by_b.join({2, 12})));
    CHECK(world.applies(by_b.leave_closed(0)));
    CHECK_FALSE(world.applies(by_b.leave_closed(0)));
}

TEST_CASE("a row of another schema is left alone") {
    row_world world;
    auto row = lock_key("orders");
    row.emplace("v", 2);
    REQUIRE(world.applies(put_item_request{.table_name = table, .new_item = row}));
    CHECK_FALSE(world.applies(by_a.take({1, 10}, {}, {})));
    CHECK_FALSE(world.applies(by_a.join({1, 10})));
    CHECK_FALSE(world.applies(by_a.void_free({1, 10}, 1)));
    CHECK_FALSE(world.applies(by_a.void_held({1, 10})));
    CHECK(world.find(lock_key("orders")) == row);
}

}  // namespace dynalease::protocol::test
