// Projections of GetItem.
// SPDX-License-Identifier: BSL-1.0
#include "unit/local/engine_world.hpp"

#include <vector>

namespace dynalease::local::test {

namespace {

const item subject{
    {"pk", "a"},
    {"n", 5},
    {"l", list({"l0", attribute_map{{"x", 1}, {"y", 2}}, "l2"})},
    {"m", attribute_map{{"x", 1}, {"mid", attribute_map{{"deep", 7}, {"other", 8}}}}},
};

result<get_item_response> projected(const char* expression) {
    engine_world world;
    world.put(subject);
    get_item_request request;
    request.table_name = "things";
    request.key = {{"pk", "a"}};
    request.projection_expression = expression;
    return world.execute(request);
}

}  // namespace

TEST_CASE("a projection keeps the shape of what it names") {
    const std::vector<std::pair<const char*, item>> rows{
        {"n", {{"n", 5}}},
        {"n, pk", {{"n", 5}, {"pk", "a"}}},
        {"gone", {}},
        {"m.x", {{"m", attribute_map{{"x", 1}}}}},
        {"m.mid.deep, m.x", {{"m", attribute_map{{"x", 1}, {"mid", attribute_map{{"deep", 7}}}}}}},
        {"m.gone, n", {{"n", 5}}},
        {"n.nope", {}},
        {"l[0]", {{"l", list({"l0"})}}},
        {"l[2], l[0], l[9]", {{"l", list({"l0", "l2"})}}},
        {"l[1].y", {{"l", list({attribute_map{{"y", 2}}})}}},
        {"l[1].y, l[1].x, l[2]", {{"l", list({attribute_map{{"x", 1}, {"y", 2}}, "l2"})}}},
    };
    for (const auto& [expression, expected] : rows) {
        INFO(expression);
        CHECK(projected(expression).value().found == expected);
    }
}

TEST_CASE("paths of a projection may not overlap") {
    for (const char* expression : {"m, m.x", "l[0], l[0]", "n, n", "m.mid.deep, m.mid"}) {
        INFO(expression);
        const auto answer = projected(expression);
        REQUIRE_FALSE(answer);
        CHECK_THAT(answer.error().details.message,
                   Catch::StartsWith("Invalid ProjectionExpression: Two document paths overlap with each other"));
    }
}

}  // namespace dynalease::local::test
