// Expiry: by the time of the request alone.
// SPDX-License-Identifier: BSL-1.0
#include "unit/local/engine_world.hpp"

namespace dynalease::local::test {

namespace {

std::int64_t seconds(engine::time when) {
    return std::chrono::floor<std::chrono::seconds>(when).time_since_epoch().count();
}

std::string set_ttl(engine_world& world, std::string attribute, bool enabled = true) {
    update_time_to_live_request request;
    request.table_name = "things";
    request.attribute_name = std::move(attribute);
    request.enabled = enabled;
    return world.fault(request);
}

}  // namespace

TEST_CASE("an item is gone once its time is past, for every kind of request") {
    engine_world world;
    REQUIRE(set_ttl(world, "ttl").empty());
    const auto end = seconds(world.now) + 60;
    const item expiring{{"pk", "a"}, {"ttl", end}};
    world.put(expiring);
    world.put({{"pk", "forever"}});
    world.now += std::chrono::seconds(60);
    CHECK(world.get({{"pk", "a"}}) == expiring);
    world.now += std::chrono::seconds(1);

    SECTION("reads") {
        CHECK_FALSE(world.get({{"pk", "a"}}));
    }
    SECTION("scans") {
        scan_request scan;
        scan.table_name = "things";
        CHECK(world.execute(scan).value().count == 1);
    }
    SECTION("conditions") {
        CHECK(world.execute(update_of("", {}, "attribute_not_exists(pk)")));
    }
    SECTION("transactions") {
        transact_write_items_request request;
        request.actions = {condition_check{"things", {{"pk", "a"}}, "attribute_not_exists(pk)"}};
        CHECK(world.execute(request));
    }
    SECTION("descriptions") {
        describe_table_request describe;
        describe.table_name = "things";
        CHECK(world.execute(describe).value().table.item_count == 1);
    }
    CHECK(world.get({{"pk", "forever"}}));
}

TEST_CASE("a write that moves or removes the time keeps the item") {
    engine_world world;
    REQUIRE(set_ttl(world, "ttl").empty());
    world.put({{"pk", "a"}, {"ttl", seconds(world.now) + 10}});
    world.put({{"pk", "b"}, {"ttl", seconds(world.now) + 10}});
    auto extend = update_of("SET #t = :later", {{":later", seconds(world.now) + 100}});
    extend.names = {{"#t", "ttl"}};
    REQUIRE(world.execute(extend));
    extend.key = {{"pk", "b"}};
    extend.update_expression = "REMOVE #t";
    extend.values.clear();
    REQUIRE(world.execute(extend));
    world.now += std::chrono::seconds(50);
    CHECK(world.get({{"pk", "a"}}));
    world.now += std::chrono::seconds(100);
    CHECK_FALSE(world.get({{"pk", "a"}}));
    CHECK(world.get({{"pk", "b"}}));
}

TEST_CASE("only a number of recent seconds is a time") {
    engine_world world;
    REQUIRE(set_ttl(world, "ttl").empty());
    constexpr std::int64_t six_years = std::int64_t{6} * 365 * 86400;
    world.put({{"pk", "text"}, {"ttl", "1"}});
    world.put({{"pk", "ancient"}, {"ttl", seconds(world.now) - six_years}});
    world.put({{"pk", "huge"}, {"ttl", n("1E+100")}});
    world.put({{"pk", "past"}, {"ttl", n(std::to_string(seconds(world.now) - 10) + ".5")}});
    CHECK(world.get({{"pk", "text"}}));
    CHECK(world.get({{"pk", "ancient"}}));
    CHECK(world.get({{"pk", "huge"}}));
    CHECK_FALSE(world.get({{"pk", "past"}}));
}

TEST_CASE("the time to live is turned on and off, for items already there") {
    engine_world world;
    const item past{{"pk", "a"}, {"ttl", seconds(world.now) - 10}};
    world.put(past);
    CHECK(world.get({{"pk", "a"}}) == past);
    CHECK(set_ttl(world, "ttl", false) == "TimeToLive is already disabled");
    CHECK(set_ttl(world, "ttl").empty());
    CHECK(set_ttl(world, "ttl") == "TimeToLive is already enabled");
    CHECK_THAT(set_ttl(world, "other"), Catch::Contains("active on a different AttributeName"));
    describe_time_to_live_request describe;
    describe.table_name = "things";
    CHECK(world.execute(describe).value().attribute_name == "ttl");
    CHECK(world.execute(describe).value().status == "ENABLED");
    CHECK_FALSE(world.get({{"pk", "a"}}));
    CHECK(set_ttl(world, "ttl", false).empty());
    world.put(past);
    CHECK(world.get({{"pk", "a"}}) == past);
    CHECK(world.execute(describe).value().status == "DISABLED");
}

}  // namespace dynalease::local::test
