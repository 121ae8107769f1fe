// What indexes cost, and the sizes of item collections.
// SPDX-License-Identifier: BSL-1.0
#include "unit/local/engine_world.hpp"

#include <vector>

namespace dynalease::local::test {

namespace {

struct indexed_world : engine_world {
    indexed_world() {
        create_table_request request;
        request.table_name = "notes";
        request.key = {{"pk"}, key_attribute{"sk"}};
        request.global_indexes = {{.name = "global", .key = {{"g"}}, .projected = projection::keys_only}};
        request.local_indexes = {{.name = "local", .key = {{"pk"}, key_attribute{"l"}}}};
        REQUIRE(execute(request));
    }

    put_item_response note(item whole) {
        put_item_request request;
        request.table_name = "notes";
        request.new_item = std::move(whole);
        request.report_capacity = true;
        request.capacity_by_index = true;
        request.report_collection = true;
        return execute(request).value();
    }
};

}  // namespace

TEST_CASE("a write pays for the table and for each index that it changes") {
    indexed_world world;
    const auto plain = world.note({{"pk", "a"}, {"sk", "1"}});
    CHECK(plain.consumed->capacity_units == 1);
    CHECK(plain.consumed->global_index_units.empty());

    const auto both = world.note({{"pk", "a"}, {"sk", "1"}, {"g", "x"}, {"l", "y"}});
    CHECK(both.consumed->capacity_units == 3);
    CHECK(both.consumed->table_units == 1);
    CHECK(both.consumed->global_index_units.at("global") == 1);
    CHECK(both.consumed->local_index_units.at("local") == 1);

    // Nothing that the index projects has changed.
    const auto beside = world.note({{"pk", "a"}, {"sk", "1"}, {"g", "x"}, {"l", "y"}, {"more", "z"}});
    CHECK(beside.consumed->global_index_units.empty());
    // Removed at one place of the index, and written at another.
    const auto moved = world.note({{"pk", "a"}, {"sk", "1"}, {"g", "other"}, {"l", "y"}, {"more", "z"}});
    CHECK(moved.consumed->global_index_units.at("global") == 2);
}

TEST_CASE("a read of an index is told as the index's") {
    indexed_world world;
    world.note({{"pk", "a"}, {"sk", "1"}, {"g", "x"}, {"l", "y"}});
    query_request request;
    request.table_name = "notes";
    request.index_name = "global";
    request.key_condition_expression = "g = :g";
    request.values = {{":g", "x"}};
    request.report_capacity = true;
    request.capacity_by_index = true;
    const auto consumed = *world.execute(request).value().consumed;
    CHECK(consumed.capacity_units == 0.5);
    CHECK(consumed.table_units == 0);
    CHECK(consumed.global_index_units.at("global") == 0.5);
    request.capacity_by_index = false;
    CHECK_FALSE(world.execute(request).value().consumed->table_units);
}

TEST_CASE("what a local index does not have is paid for item by item, beside the keys it gives") {
    engine_world world;
    create_table_request table;
    table.table_name = "notes";
    table.key = {{"pk"}, key_attribute{"sk"}};
    table.local_indexes = {{.name = "keys", .key = {{"pk"}, key_attribute{"l"}}, .projected = projection::keys_only}};
    REQUIRE(world.execute(table));
    for (const auto& [sk, bytes] : {std::pair{"1", 10}, {"2", 5000}, {"3", 10}}) {
        put_item_request put;
        put.table_name = "notes";
        put.new_item = {
            {"pk", "a"}, {"sk", sk}, {"l", "x"}, {"text", std::string(static_cast<std::size_t>(bytes), 'x')}};
        REQUIRE(world.execute(put));
    }
    query_request request;
    request.table_name = "notes";
    request.index_name = "keys";
    request.key_condition_expression = "pk = :a";
    request.values = {{":a", "a"}};
    request.consistent_read = true;
    request.report_capacity = true;
    request.capacity_by_index = true;
    CHECK(world.execute(request).value().consumed->capacity_units == 1);
    request.select = selection::all_attributes;
    const auto consumed = *world.execute(request).value().consumed;
    CHECK(consumed.table_units == 1 + 2 + 1);
    CHECK(consumed.local_index_units.at("keys") == 1);
}

TEST_CASE("a collection is told by its hash key, where there are local indexes") {
    indexed_world world;
    const auto answer = world.note({{"pk", "a"}, {"sk", "1"}});
    REQUIRE(answer.collection);
    CHECK(answer.collection->key == item_key{{"pk", "a"}});
    CHECK(answer.collection->size_range_gb == std::vector<double>{0, 1});
    put_item_request elsewhere;
    elsewhere.table_name = "things";
    elsewhere.new_item = {{"pk", "a"}};
    elsewhere.report_collection = true;
    CHECK_FALSE(world.execute(elsewhere).value().collection);
}

}  // namespace dynalease::local::test
