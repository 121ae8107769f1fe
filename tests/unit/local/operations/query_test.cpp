// Query: key conditions, directions, filters, pages.
// SPDX-License-Identifier: BSL-1.0
#include "unit/local/engine_world.hpp"

#include <algorithm>
#include <vector>

namespace dynalease::local::test {

namespace {

/// Range keys k00 to k19 under "a", and neighbours under other hash keys.
engine_world populated() {
    engine_world world(true);
    for (const char* hash : {"a", "b", "c"}) {
        for (int i = 0; i < 20; ++i) {
            const std::string number = (i < 10 ? "0" : "") + std::to_string(i);
            world.put({{"pk", hash}, {"sk", "k" + number}, {"i", i}});
        }
    }
    world.put({{"pk", "a"}, {"sk", "other"}, {"i", 100}});
    return world;
}

query_request query_of(std::string condition, attribute_values values = {}) {
    query_request request;
    request.table_name = "things";
    request.key_condition_expression = std::move(condition);
    request.values = std::move(values);
    request.values.emplace(":a", "a");
    return request;
}

std::vector<std::int64_t> indexes(const std::vector<item>& items) {
    std::vector<std::int64_t> result;
    for (const item& each : items) result.push_back(*find_integer(each, "i"));
    return result;
}

std::vector<std::int64_t> reversed(std::vector<std::int64_t> values) {
    std::ranges::reverse(values);
    return values;
}

struct row {
    const char* condition;
    attribute_values values;
    std::vector<std::int64_t> expected;
};

}  // namespace

TEST_CASE("key conditions name a stretch of one hash key, in both directions") {
    auto world = populated();
    const std::vector<row> rows{
        {"pk = :a AND sk = :x", {{":x", "k03"}}, {3}},
        {"pk = :a AND sk = :x", {{":x", "k"}}, {}},
        {"pk = :a AND sk < :x", {{":x", "k02"}}, {0, 1}},
        {"pk = :a AND sk <= :x", {{":x", "k02"}}, {0, 1, 2}},
        {"pk = :a AND sk > :x", {{":x", "k18"}}, {19, 100}},
        {"pk = :a AND sk >= :x", {{":x", "k18"}}, {18, 19, 100}},
        {"sk >= :x AND :a = pk", {{":x", "k19"}}, {19, 100}},
        {":x < sk AND pk = :a", {{":x", "k19"}}, {100}},
        {"pk = :a AND sk BETWEEN :x AND :y", {{":x", "k03"}, {":y", "k05"}}, {3, 4, 5}},
        {"(pk = :a) AND (sk BETWEEN :x AND :y)", {{":x", "k18x"}, {":y", "p"}}, {19, 100}},
        {"pk = :a AND begins_with(sk, :x)", {{":x", "k1"}}, {10, 11, 12, 13, 14, 15, 16, 17, 18, 19}},
        {"pk = :a AND begins_with(sk, :x)", {{":x", "o"}}, {100}},
        {"pk = :a AND begins_with(sk, :x)", {{":x", "l"}}, {}},
        {"pk = :a AND begins_with(sk, :x)", {{":x", "z"}}, {}},
    };
    for (const auto& [condition, values, expected] : rows) {
        INFO(condition);
        auto request = query_of(condition, values);
        const auto forward = world.execute(request).value();
        CHECK(indexes(forward.items) == expected);
        CHECK(forward.count == static_cast<std::int64_t>(expected.size()));
        CHECK(forward.last_evaluated_key.empty());
        request.scan_index_forward = false;
        CHECK(indexes(world.execute(request).value().items) == reversed(expected));
    }
}

TEST_CASE("pages of any size, in both directions, join to the whole") {
    auto world = populated();
    for (const char* condition : {"pk = :a", "pk = :a AND sk BETWEEN :x AND :y", "pk = :a AND begins_with(sk, :x)"}) {
        for (const bool forward : {true, false}) {
            auto request = query_of(condition, used({{":x", "k0"}, {":y", "k14"}}, condition));
            request.scan_index_forward = forward;
            const auto whole = indexes(world.execute(request).value().items);
            REQUIRE(whole.size() >= 10);
            for (std::int32_t limit = 1; limit <= 22; ++limit) {
                request.limit = limit;
                request.exclusive_start_key.clear();
                std::vector<std::int64_t> joined;
                do {
                    const auto page = world.execute(request).value();
                    CHECK(page.items.size() <= static_cast<std::size_t>(limit));
                    for (const auto index : indexes(page.items)) joined.push_back(index);
                    request.exclusive_start_key = page.last_evaluated_key;
                } while (!request.exclusive_start_key.empty());
                CHECK(joined == whole);
            }
        }
    }
}

TEST_CASE("a filter comes after the limit, and may not name the key") {
    auto world = populated();
    auto request = query_of("pk = :a", {{":n", 3}});
    request.filter_expression = "i >= :n";
    request.limit = 5;
    const auto page = world.execute(request).value();
    CHECK(indexes(page.items) == std::vector<std::int64_t>{3, 4});
    CHECK(page.count == 2);
    CHECK(page.scanned_count == 5);
    CHECK(page.last_evaluated_key == item_key{{"pk", "a"}, {"sk", "k04"}});
    request.filter_expression = "attribute_exists(i) AND NOT sk = :n";
    CHECK_THAT(world.fault(request), Catch::Contains("Filter Expression can only contain non-primary key attributes"));
}

TEST_CASE("count and projection") {
    auto world = populated();
    auto request = query_of("pk = :a");
    request.projection_expression = "i";
    CHECK(world.execute(request).value().items.front() == item{{"i", 0}});
    request.projection_expression.clear();
    request.select = selection::count;
    const auto page = world.execute(request).value();
    CHECK(page.items.empty());
    CHECK(page.count == 21);
}

TEST_CASE("a page ends at 1 MB") {
    engine_world world(true);
    for (int i = 0; i < 10; ++i) {
        world.put({{"pk", "a"}, {"sk", std::to_string(i)}, {"i", i}, {"v", std::string(300'000, 'x')}});
    }
    auto request = query_of("pk = :a");
    const auto page = world.execute(request).value();
    CHECK(page.items.size() == 4);
    CHECK(page.last_evaluated_key == item_key{{"pk", "a"}, {"sk", "3"}});
}

TEST_CASE("key conditions that are none") {
    auto world = populated();
    const std::vector<std::pair<const char*, const char*>> rows{
        {"sk = :a", "Query condition missed key schema element: pk"},
        {"pk < :a", "Query key condition not supported"},
        {"pk = :a AND i = :a", "Query condition missed key schema element: sk"},
        {"pk = :a OR sk = :a", "Invalid operator used in KeyConditionExpression: OR"},
        {"NOT pk = :a", "Invalid operator used in KeyConditionExpression: NOT"},
        {"pk = :a AND sk <> :a", "Invalid operator used in KeyConditionExpression: <>"},
        {"pk = :a AND sk IN (:a)", "Invalid operator used in KeyConditionExpression: IN"},
        {"pk = :a AND contains(sk, :a)", "Invalid operator used in KeyConditionExpression: contains"},
        {"pk = :a AND sk = :a AND sk = :a",
         "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key"},
        {"pk = :a AND sk = pk", "Multiple attribute names used in one condition"},
        {"pk.x = :a", "KeyConditionExpressions cannot have conditions on nested attributes"},
        {"begins_with(pk, :a)", "Query key condition not supported"},
    };
    for (const auto& [condition, words] : rows) {
        INFO(condition);
        CHECK_THAT(world.fault(query_of(condition)), Catch::Contains(words));
    }
    CHECK_THAT(world.fault(query_of("pk = :a AND sk = :x", {{":x", 1}})),
               Catch::Contains("Condition parameter type does not match schema type"));
    CHECK_THAT(world.fault(query_of("pk = :a AND sk > :x", {{":x", ""}})),
               Catch::EndsWith("cannot contain an empty string value. Key: sk"));
    auto request = query_of("pk = :a");
    request.exclusive_start_key = {{"pk", "b"}, {"sk", "x"}};
    CHECK_THAT(world.fault(request), Catch::Contains("outside query boundaries"));
    request.exclusive_start_key = {{"pk", "a"}};
    CHECK_THAT(world.fault(request), Catch::StartsWith("The provided starting key is invalid"));
    auto bounded = query_of("pk = :a AND sk BETWEEN :x AND :y", {{":x", "k03"}, {":y", "k05"}});
    bounded.exclusive_start_key = {{"pk", "b"}, {"sk", "k04"}};
    CHECK(world.fault(bounded) == "The query can return at most one row and cannot be restarted");
    request.exclusive_start_key.clear();
    request.limit = 0;
    CHECK_THAT(world.fault(request), Catch::Contains("greater than or equal to 1"));
    request.limit.reset();
    request.index_name = "by_i";
    CHECK_THAT(world.fault(request), Catch::Contains("The table does not have the specified index: by_i"));
}

}  // namespace dynalease::local::test
