// Tables: made, described, listed, deleted.
// SPDX-License-Identifier: BSL-1.0
#include "unit/local/engine_world.hpp"

#include <vector>

namespace dynalease::local::test {

namespace {

create_table_request create(std::string name) {
    create_table_request request;
    request.table_name = std::move(name);
    request.key.hash = {"k", scalar_type::s};
    return request;
}

}  // namespace

TEST_CASE("a table is active at once and described as it was made") {
    engine_world world;
    auto request = create("orders");
    request.key.range = key_attribute{"at", scalar_type::n};
    CHECK(world.execute(request).value().table.status == "CREATING");
    describe_table_request describe;
    describe.table_name = "orders";
    const auto table = world.execute(describe).value().table;
    CHECK(table.table_name == "orders");
    CHECK(table.status == "ACTIVE");
    CHECK(table.key.hash.name == "k");
    CHECK(table.key.range->name == "at");
    CHECK(table.key.range->type == scalar_type::n);
    CHECK(world.execute(request).error().code == errc::table_in_use);
}

TEST_CASE("a deleted table is gone with its items") {
    engine_world world;
    world.put({{"pk", "a"}});
    delete_table_request request;
    request.table_name = "things";
    const auto gone = world.execute(request).value().table;
    CHECK(gone.status == "DELETING");
    CHECK(gone.key == key_schema{});
    CHECK(world.execute(request).error().code == errc::table_not_found);
    CHECK(world.execute(update_of("")).error().code == errc::table_not_found);
    auto again = create("things");
    again.key.hash.name = "pk";
    REQUIRE(world.execute(again));
    CHECK_FALSE(world.get({{"pk", "a"}}));
}

TEST_CASE("tables are listed by name, in pages") {
    engine engine;
    const engine::time now{};
    for (const char* name : {"ccc", "aaa", "bbb"}) REQUIRE(engine.execute(create(name), now));
    list_tables_request request;
    request.limit = 2;
    const auto first = std::get<list_tables_response>(engine.execute(request, now).value());
    CHECK(first.table_names == std::vector<std::string>{"aaa", "bbb"});
    CHECK(first.last_evaluated_table_name == "bbb");
    request.exclusive_start_table_name = first.last_evaluated_table_name;
    const auto second = std::get<list_tables_response>(engine.execute(request, now).value());
    CHECK(second.table_names == std::vector<std::string>{"ccc"});
    CHECK(second.last_evaluated_table_name.empty());
}

TEST_CASE("tables that cannot be are refused") {
    engine_world world;
    CHECK(world.execute(create("ab")).error().code == errc::validation);
    CHECK(world.execute(create("a/b/c")).error().code == errc::validation);
    CHECK(world.execute(create(std::string(256, 'x'))).error().code == errc::validation);
    CHECK(world.execute(create(std::string(255, 'x'))));
    auto twice = create("twice");
    twice.key.range = key_attribute{"k"};
    CHECK_THAT(world.fault(twice), Catch::Contains("have the same name"));
}

}  // namespace dynalease::local::test
