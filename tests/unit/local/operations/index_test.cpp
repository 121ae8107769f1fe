// Secondary indexes: what is in them, in which order, with which attributes, and what is refused.
// SPDX-License-Identifier: BSL-1.0
#include "unit/local/engine_world.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace dynalease::local::test {

namespace {

/// "orders" by customer and number, with the global indexes by_state (all), by_day (keys only) and by_sum (includes
/// `state`), and the local index by_date (keys only).
create_table_request orders() {
    create_table_request request;
    request.table_name = "orders";
    request.key = {{"customer"}, key_attribute{"number", scalar_type::n}};
    request.global_indexes = {
        {.name = "by_state", .key = {{"state"}, key_attribute{"sum", scalar_type::n}}},
        {.name = "by_day", .key = {{"day"}}, .projected = projection::keys_only},
        {.name = "by_sum", .key = {{"sum", scalar_type::n}}, .projected = projection::include, .included = {"state"}}};
    request.local_indexes = {
        {.name = "by_date", .key = {{"customer"}, key_attribute{"date"}}, .projected = projection::keys_only}};
    return request;
}

struct order_world : engine_world {
    order_world() { REQUIRE(execute(orders())); }

    void order(item whole) {
        put_item_request request;
        request.table_name = "orders";
        request.new_item = std::move(whole);
        INFO(fault(request));
        REQUIRE(execute(request));
    }
    std::string order_fault(item whole) {
        put_item_request request;
        request.table_name = "orders";
        request.new_item = std::move(whole);
        return fault(request);
    }
};

query_request query_of(std::string index, std::string condition, attribute_values values) {
    query_request request;
    request.table_name = "orders";
    request.index_name = std::move(index);
    request.key_condition_expression = std::move(condition);
    request.values = std::move(values);
    if (request.key_condition_expression.find("#s") != std::string::npos) request.names = {{"#s", "state"}};
    return request;
}

query_request by_state(const char* state) {
    return query_of("by_state", "#s = :s", {{":s", state}});
}

}  // namespace

TEST_CASE("an index holds the items that have its key, in its order") {
    order_world world;
    world.order({{"customer", "a"}, {"number", 1}, {"state", "open"}, {"sum", 30}});
    world.order({{"customer", "b"}, {"number", 1}, {"state", "open"}, {"sum", -5}});
    world.order({{"customer", "c"}, {"number", 1}, {"state", "done"}, {"sum", 1}});
    world.order({{"customer", "d"}, {"number", 1}, {"state", "open"}});  // no sum: not in the index
    const auto found = world.execute(by_state("open")).value();
    REQUIRE(found.count == 2);
    CHECK(*find_string(found.items[0], "customer") == "b");
    CHECK(*find_string(found.items[1], "customer") == "a");
    auto backward = by_state("open");
    backward.scan_index_forward = false;
    CHECK(*find_string(world.execute(backward).value().items[0], "customer") == "a");
}

TEST_CASE("an index follows every change of the item, and its end") {
    order_world world;
    world.order({{"customer", "a"}, {"number", 1}, {"state", "open"}, {"sum", 1}});
    world.order({{"customer", "a"}, {"number", 1}, {"state", "done"}, {"sum", 1}});
    CHECK(world.execute(by_state("open")).value().count == 0);
    CHECK(world.execute(by_state("done")).value().count == 1);
    delete_item_request remove;
    remove.table_name = "orders";
    remove.key = {{"customer", "a"}, {"number", 1}};
    REQUIRE(world.execute(remove));
    CHECK(world.execute(by_state("done")).value().count == 0);
}

TEST_CASE("an index gives what it projects, and a filter sees no more") {
    order_world world;
    const item whole{{"customer", "a"}, {"number", 1}, {"state", "open"}, {"sum", 7}, {"day", "mon"}, {"x", "y"}};
    world.order(whole);
    CHECK(world.execute(by_state("open")).value().items.front() == whole);
    const auto keys = world.execute(query_of("by_day", "#d = :d", {{":d", "mon"}}));
    CHECK(keys.has_error());  // the placeholder is not defined
    auto day = query_of("by_day", "#d = :d", {{":d", "mon"}});
    day.names = {{"#d", "day"}};
    CHECK(world.execute(day).value().items.front() == item{{"customer", "a"}, {"number", 1}, {"day", "mon"}});
    auto sum = query_of("by_sum", "#m = :m", {{":m", 7}});
    sum.names = {{"#m", "sum"}};
    CHECK(world.execute(sum).value().items.front() ==
          item{{"customer", "a"}, {"number", 1}, {"sum", 7}, {"state", "open"}});
    sum.filter_expression = "x = :x";
    sum.values.emplace(":x", "y");
    const auto filtered = world.execute(sum).value();
    CHECK(filtered.scanned_count == 1);
    CHECK(filtered.count == 0);
}

TEST_CASE("what an index cannot give is refused, or read from the table beside a local one") {
    order_world world;
    const item whole{{"customer", "a"}, {"number", 1}, {"date", "d"}, {"day", "mon"}, {"x", "y"}};
    world.order(whole);
    auto day = query_of("by_day", "#d = :d", {{":d", "mon"}});
    day.names = {{"#d", "day"}};
    day.select = selection::all_attributes;
    CHECK(world.fault(day) ==
          "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global secondary "
          "index by_day because its projection type is not ALL");
    day.select = selection::unspecified;
    day.projection_expression = "x";
    CHECK_THAT(world.fault(day), Catch::EndsWith("Global secondary index by_day does not project [x]"));
    day.projection_expression.clear();
    day.consistent_read = true;
    CHECK(world.fault(day) == "Consistent reads are not supported on global secondary indexes");

    auto date = query_of("by_date", "customer = :c", {{":c", "a"}});
    CHECK(world.execute(date).value().items.front() == item{{"customer", "a"}, {"number", 1}, {"date", "d"}});
    date.consistent_read = true;
    date.select = selection::all_attributes;
    CHECK(world.execute(date).value().items.front() == whole);
    date.select = selection::unspecified;
    date.projection_expression = "x";
    CHECK(world.execute(date).value().items.front() == item{{"x", "y"}});
    date.index_name = "by_nothing";
    CHECK(world.fault(date) == "The table does not have the specified index: by_nothing");
}

TEST_CASE("a selection must go with the projection and the index") {
    order_world world;
    auto request = by_state("open");
    request.select = selection::specific_attributes;
    CHECK(world.fault(request) ==
          "1 validation error detected: Must specify the AttributesToGet or ProjectionExpression when choosing to get "
          "SPECIFIC_ATTRIBUTES");
    request.projection_expression = "x";
    CHECK(world.execute(request));
    request.select = selection::count;
    CHECK(world.fault(request) == "Cannot specify the ProjectionExpression when choosing to get only the Count");
    request.select = selection::all_attributes;
    CHECK(world.fault(request) == "Cannot specify the ProjectionExpression when choosing to get ALL_ATTRIBUTES");
    scan_request scan;
    scan.table_name = "orders";
    scan.select = selection::all_projected_attributes;
    CHECK_THAT(world.fault(scan), Catch::StartsWith("ALL_PROJECTED_ATTRIBUTES can be used only"));
    scan.projection_expression = "x";
    CHECK(world.fault(scan) == "Cannot specify the ProjectionExpression when choosing to get ALL_PROJECTED_ATTRIBUTES");
    scan.projection_expression.clear();
    scan.index_name = "by_day";
    CHECK(world.execute(scan));
}

TEST_CASE("a value that an index cannot take refuses the whole write") {
    order_world world;
    CHECK(world.order_fault({{"customer", "a"}, {"number", 1}, {"sum", "much"}}) ==
          "One or more parameter values were invalid: Type mismatch for Index Key sum Expected: N Actual: S IndexName: "
          "by_state");
    CHECK_THAT(world.order_fault({{"customer", "a"}, {"number", 1}, {"day", ""}}),
               Catch::Contains("cannot contain an empty string value. IndexName: by_day, IndexKey: day"));
    CHECK_THAT(world.order_fault({{"customer", "a"}, {"number", 1}, {"day", std::string(2049, 'x')}}),
               Catch::Contains("exceeded the maximum size limit"));
    world.order({{"customer", "a"}, {"number", 1}, {"sum", 1}});
    update_item_request update;
    update.table_name = "orders";
    update.key = {{"customer", "a"}, {"number", 1}};
    update.update_expression = "SET #d = :d";
    update.names = {{"#d", "day"}};
    update.values = {{":d", 5}};
    CHECK_THAT(world.fault(update), Catch::Contains("Type mismatch for Index Key day Expected: S Actual: N"));
}

TEST_CASE("pages of an index, in both directions and in segments, give every entry once") {
    order_world world;
    constexpr int orders = 60;
    for (int i = 0; i < orders; ++i) {
        // Many of one key, so that pages end between them.
        world.order({{"customer", "c" + std::to_string(i % 7)}, {"number", i}, {"state", "open"}, {"sum", i / 20}});
    }
    for (const bool forward : {true, false}) {
        auto request = by_state("open");
        request.limit = 7;
        request.scan_index_forward = forward;
        std::set<std::int64_t> seen;
        std::vector<std::int64_t> sums;
        do {
            const auto page = world.execute(request).value();
            for (const item& each : page.items) {
                CHECK(seen.insert(*find_integer(each, "number")).second);
                sums.push_back(*find_integer(each, "sum"));
            }
            request.exclusive_start_key = page.last_evaluated_key;
            if (!page.last_evaluated_key.empty()) CHECK(page.last_evaluated_key.size() == 4);
        } while (!request.exclusive_start_key.empty());
        CHECK(seen.size() == orders);
        CHECK((forward ? std::ranges::is_sorted(sums) : std::ranges::is_sorted(sums, std::greater<>{})));
    }
    std::multiset<std::int64_t> scanned;
    for (std::int32_t segment = 0; segment < 4; ++segment) {
        scan_request request;
        request.table_name = "orders";
        request.index_name = "by_sum";
        request.segment = segment;
        request.total_segments = 4;
        request.limit = 5;
        do {
            const auto page = world.execute(request).value();
            for (const item& each : page.items) scanned.insert(*find_integer(each, "number"));
            request.exclusive_start_key = page.last_evaluated_key;
        } while (!request.exclusive_start_key.empty());
    }
    CHECK(scanned.size() == orders);
}

TEST_CASE("a starting key must be of the index and of the query") {
    order_world world;
    auto request = by_state("open");
    const auto starting = [&request](item_key key) {
        request.exclusive_start_key = std::move(key);
        return request;
    };
    CHECK(world.fault(starting({{"state", "open"}, {"sum", 1}})) == "The provided starting key is invalid");
    CHECK(world.fault(starting({{"state", "open"}, {"sum", 1}, {"customer", "a"}, {"number", 1}, {"x", 1}})) ==
          "The provided starting key is invalid");
    CHECK(world.fault(starting({{"state", "open"}, {"sum", "1"}, {"customer", "a"}, {"number", 1}})) ==
          "The provided key element does not match the schema");
    CHECK(world.fault(starting({{"state", "open"}, {"sum", 1}, {"customer", "a"}, {"number", "1"}})) ==
          "The provided starting key is invalid: The provided key element does not match the schema");
    CHECK(world.fault(starting({{"state", 5}, {"sum", 1}, {"customer", "a"}, {"number", 1}})) ==
          "The provided key element does not match the schema");
    CHECK(world.fault(starting({{"state", "done"}, {"sum", 1}, {"customer", "a"}, {"number", 1}})) ==
          "The provided starting key is outside query boundaries based on provided conditions");
    request.key_condition_expression = "#s = :s AND #m > :m";
    request.names.emplace("#m", "sum");
    request.values.emplace(":m", 5);
    CHECK(world.fault(starting({{"state", "open"}, {"sum", 1}, {"customer", "a"}, {"number", 1}})) ==
          "The provided starting key does not match the range key predicate");
}

TEST_CASE("of several indexes that cannot take an item, the first by name is told") {
    engine_world world;
    for (const char* name : {"second", "first"}) {
        update_table_request add;
        add.table_name = "things";
        add.index_changes = {secondary_index{.name = name, .key = {{"x"}}}};
        REQUIRE(world.execute(add));
    }
    put_item_request request;
    request.table_name = "things";
    request.new_item = {{"pk", "a"}, {"x", 1}};
    CHECK_THAT(world.fault(request), Catch::EndsWith("IndexName: first"));
    const auto empty = world.fault(update_of("SET x = :x", {{":x", ""}}));
    CHECK(empty ==
          "One or more parameter values are not valid. The update expression attempted to update a secondary index key "
          "to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty string "
          "value.");
    world.put({{"pk", "a"}, {"y", ""}});
    CHECK(world.fault(update_of("SET x = y")) == empty);
}

TEST_CASE("of several attributes that an update mistypes, the first index's is told") {
    order_world world;
    update_item_request request;
    request.table_name = "orders";
    request.key = {{"customer", "a"}, {"number", 1}};
    request.update_expression = "SET #s = :n, #d = :n";
    request.names = {{"#s", "state"}, {"#d", "date"}};
    request.values = {{":n", 1}};
    CHECK(
        world.fault(request) ==
        "One or more parameter values were invalid: Type mismatch for Index Key date Expected: S Actual: N IndexName: "
        "by_date");
}

TEST_CASE("an index always equals a table filtered and sorted by hand") {
    order_world world;
    std::mt19937 engine(7);
    const auto below = [&engine](int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(engine); };
    std::map<std::pair<std::string, std::int64_t>, item> model;
    for (int step = 0; step < 2000; ++step) {
        const std::string customer = "c" + std::to_string(below(5));
        const std::int64_t number = below(6);
        if (below(4) == 0) {
            delete_item_request request;
            request.table_name = "orders";
            request.key = {{"customer", customer}, {"number", number}};
            REQUIRE(world.execute(request));
            model.erase({customer, number});
        } else {
            item whole{{"customer", customer}, {"number", number}};
            if (below(3) != 0) whole.emplace("state", below(2) == 0 ? "open" : "done");
            if (below(3) != 0) whole.emplace("sum", below(4));
            world.order(whole);
            model[{customer, number}] = whole;
        }
        if (step % 50 != 0) continue;
        const auto found = world.execute(by_state("open")).value();
        const auto expected = std::ranges::count_if(model, [](const auto& each) {
            const auto* state = find_string(each.second, "state");
            return state && *state == "open" && find(each.second, "sum");
        });
        REQUIRE(found.count == expected);
        for (const item& each : found.items) {
            REQUIRE(model.at({*find_string(each, "customer"), *find_integer(each, "number")}) == each);
        }
    }
}

}  // namespace dynalease::local::test
