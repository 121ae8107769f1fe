// What one request may cost the server: no small one takes a second of the processor or 256 MiB, whatever it asks for.
// SPDX-License-Identifier: BSL-1.0
#include "unit/local/cost_world.hpp"
#include "unit/local/engine_world.hpp"

#include "local/codec/server_codec.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace dynalease::local::test {

namespace {

const std::string key = R"("TableName":"things","Key":{"pk":{"S":"x"},"sk":{"N":"0"}})";

std::string update(const std::string& expression, const std::string& values = "") {
    return "{" + key + R"(,"UpdateExpression":")" + expression + "\"" +
           (values.empty() ? "" : R"(,"ExpressionAttributeValues":{)" + values + "}") + "}";
}

std::string scan(const std::string& more) {
    return R"({"TableName":"small",)" + more + "}";
}

std::string transaction(const std::string& actions) {
    return R"({"TransactItems":[)" + actions + "]}";
}

std::string put_of(const std::string& value) {
    return R"({"TableName":"things","Item":{"pk":)" + value + "}}";
}

const std::string nulls = R"({"NULL":true})";

}  // namespace

TEST_CASE("copies of one large attribute") {
    measured_world world;
    world.put_large(0);
    check(world.of("UpdateItem", update("SET " + listed(500, [](auto i) { return "b" + i + "=a"; }))));
    std::string tree = "a";
    for (int depth = 0; depth < 6; ++depth) {
        tree = "list_append(if_not_exists(z," + tree + "),if_not_exists(z," + tree + "))";
    }
    check(world.of("UpdateItem", update("SET c=" + tree)));
    check(world.of("UpdateItem", update("REMOVE " + listed(700, [](auto i) { return "a[" + i + "]"; }))));
}

TEST_CASE("copies of one large value, in one transaction and in a hundred actions", "[long]") {
    measured_world world;
    const auto action = [](const std::string& sk, const std::string& names, const std::string& value) {
        return R"({"Update":{"TableName":"things","Key":{"pk":{"S":"x"},"sk":{"N":")" + sk +
               R"("}},"UpdateExpression":"SET )" + names + R"(","ExpressionAttributeValues":{":v":)" + value + "}}}";
    };
    const auto many = listed(300, [](auto i) { return "b" + i + "=:v"; });
    for (const std::size_t count : {100'000U, 1'000'000U}) {
        const auto value = R"({"L":[)" + repeated(nulls, count, ",") + "]}";
        check(world.of("TransactWriteItems", packed(transaction(action("0", many, value))), "gzip"));
    }
    for (int i = 0; i < 100; ++i) world.put_large(i);
    check(world.of("TransactWriteItems",
                   transaction(listed(100, [&](auto i) { return action(i, "n=:v", R"({"N":"1"})"); }))));
    check(world.of("TransactWriteItems", transaction(listed(100, [](auto i) {
                       return R"({"ConditionCheck":{"TableName":"things","Key":{"pk":{"S":"x"},"sk":{"N":")" + i +
                              R"j("}},"ConditionExpression":"attribute_exists(n)",)j"
                              R"("ReturnValuesOnConditionCheckFailure":"ALL_OLD"}})";
                   }))));
    const auto keys = listed(100, [](auto i) { return R"({"pk":{"S":"x"},"sk":{"N":")" + i + "\"}}"; });
    check(world.of("BatchGetItem", R"({"RequestItems":{"things":{"Keys":[)" + keys + "]}}}"));
    check(world.of("Scan", R"({"TableName":"things"})"));
}

TEST_CASE("a body that unpacks to a multitude of values") {
    measured_world world;
    for (const char* operation : {"Nothing", "PutItem", "BatchWriteItem"}) {
        check(world.of(operation, packed("[" + repeated("0", 8'000'000, ",") + "]"), "gzip"));
        check(world.of(operation, packed(put_of(R"({"L":[)" + repeated(nulls, 1'000'000, ",") + "]}")), "gzip"));
    }
    const auto number = [](auto i) { return "\"" + std::to_string(900'000.5 - std::stoi(i)) + "\""; };
    check(world.of("PutItem", packed(put_of(R"({"NS":[)" + listed(20'000, number) + "]}")), "gzip"));
    const std::string text = "\"" + std::string(8'000'000, 'x') + "\"";
    check(world.of("PutItem", packed(put_of(R"({"SS":[)" + text + "," + text + "]}")), "gzip"));
    const auto tables = listed(6000, [](auto i) { return "\"t" + i + "\":[]"; });
    check(world.of("BatchWriteItem", R"({"RequestItems":{)" + tables + "}}"));
}

TEST_CASE("what one text looks for in another") {
    measured_world world;
    const std::string much(390'000, 'a');
    world.put("things", {{"pk", "x"}, {"sk", 0}, {"s", much}});
    world.put("things", {{"pk", "x"}, {"sk", 1}, {"s", bytes(much)}});
    const auto look = [](const std::string& sk, const std::string& what, std::size_t times) {
        return R"({"TableName":"things","Key":{"pk":{"S":"x"},"sk":{"N":")" + sk + R"("}},"ConditionExpression":")" +
               repeated("contains(s,:p)", times, " OR ") + R"(","ExpressionAttributeValues":{":p":)" + what + "}}";
    };
    for (const std::size_t times : {1U, 150U}) {
        check(world.of("DeleteItem", look("0", R"({"S":")" + std::string(50'000, 'a') + "b\"}", times)));
        check(world.of("DeleteItem", look("1", R"({"B":")" + repeated("YWFh", 12'000) + "YWFi\"}", times)));
        const auto long_pattern = look("0", R"({"S":")" + std::string(195'000, 'a') + "b\"}", times);
        check(world.of("DeleteItem", packed(long_pattern), "gzip"));
    }
}

TEST_CASE("a long number looked for among short ones") {
    measured_world world;
    world.put("things", {{"pk", "x"}, {"sk", 0}, {"l", attribute_list(130'000, 1)}});
    for (const std::size_t times : {5U, 14U}) {
        for (const std::string& wanted : {std::string(215, '0') + "5.5", std::string("-5.5E-120")}) {
            check(world.of("DeleteItem", "{" + key + R"(,"ConditionExpression":")" +
                                             repeated("contains(l,:p)", times, " OR ") +
                                             R"(","ExpressionAttributeValues":{":p":{"N":")" + wanted + "\"}}}"));
        }
    }
}

TEST_CASE("writes to a table of many indexes that hold a large attribute", "[long]") {
    measured_world world;
    world.create_indexed("wide",
                         {.name = {}, .key = {.hash = {"h"}}, .projected = projection::include, .included = {"a"}});
    for (int i = 0; i < 100; ++i) {
        world.put("wide", {{"pk", "x"}, {"sk", i}, {"h", "x"}, {"a", attribute_list(200'000, null{})}});
    }
    const auto key_of = [](auto i) { return R"("Key":{"pk":{"S":"x"},"sk":{"N":")" + i + "\"}}"; };
    const auto erase = [&](auto i) { return R"({"Delete":{"TableName":"wide",)" + key_of(i) + "}}"; };
    const auto change = [&](auto i) {
        return R"({"Update":{"TableName":"wide",)" + key_of(i) +
               R"(,"UpdateExpression":"SET n=:v","ExpressionAttributeValues":{":v":{"N":"1"}}}})";
    };
    const std::string reported = R"("ReturnConsumedCapacity":"INDEXES","TransactItems":[)";
    check(world.of("TransactWriteItems", transaction(listed(100, erase))));
    check(world.of("TransactWriteItems", "{" + reported + listed(100, erase) + "]}"));
    check(world.of("TransactWriteItems", "{" + reported + listed(10, change) + "]}"));
    check(world.of("BatchWriteItem",
                   R"({"ReturnConsumedCapacity":"INDEXES","RequestItems":{"wide":[)" +
                       listed(25, [&](auto i) { return R"({"DeleteRequest":{)" + key_of(i) + "}}"; }) + "]}}"));
    check(world.of("Query",
                   R"({"TableName":"wide","IndexName":"index0","Select":"COUNT","KeyConditionExpression":"h=:h",)"
                   R"("ExpressionAttributeValues":{":h":{"S":"x"}}})"));
}

TEST_CASE("the sizes of large collections", "[long]") {
    measured_world world;
    world.create_indexed("collected", {.name = {}, .key = {.hash = {"h"}}, .projected = projection::keys_only});
    for (int i = 0; i < 300'000; ++i) world.put("collected", {{"pk", "x"}, {"sk", i}});
    check(world.of("TransactWriteItems",
                   R"({"ReturnItemCollectionMetrics":"SIZE","TransactItems":[)" + listed(100, [](auto i) {
                       return R"({"Delete":{"TableName":"collected","Key":{"pk":{"S":"x"},"sk":{"N":")" + i + "\"}}}}";
                   }) + "]}"));
}

TEST_CASE("filters and projections of many small items", "[long]") {
    measured_world world;
    world.put_small(40'000);
    const auto filtered = [](const std::string& filter, const std::string& value) {
        return scan(R"("FilterExpression":")" + filter + R"(","ExpressionAttributeValues":{":a":{"N":")" + value +
                    "\"}}");
    };
    const std::string in_many = "sk IN (" + repeated(":a", 100, ",") + ")";
    check(world.of("Scan", filtered(repeated(in_many, 13, " OR "), "-1")));
    check(world.of("Scan", filtered(repeated("sk=:a", 149, " OR "), "-1")));
    check(world.of("Scan", filtered(repeated("sk=:a", 149, " OR "), std::string(215, '0') + "5.5")));
    check(world.of("Scan", filtered(repeated("sk=:a", 149, " OR "), "-5.5E-120")));
    check(world.of("Scan", packed(filtered("sk < :a", std::string(3'000'000, '0') + "1")), "gzip"));
    check(world.of("Scan", scan(R"("ProjectionExpression":")" + listed(700, [](auto i) { return "b" + i; }) + "\"")));
    const auto numbers = listed(4000, [](auto i) { return R"({"N":"-)" + i + "\"}"; });
    check(world.of("Scan",
                   scan(R"("ScanFilter":{"sk":{"ComparisonOperator":"IN","AttributeValueList":[)" + numbers + "]}}")));
    const auto any = listed(1000, [](auto i) { return "\"a" + i + R"(":{"ComparisonOperator":"NOT_NULL"})"; });
    check(world.of("Scan", scan(R"("ConditionalOperator":"OR","ScanFilter":{)" + any + "}")));
    check(world.of("Scan", scan("\"Limit\":100000")));
}

TEST_CASE("older parameters of many attributes") {
    measured_world world;
    const auto conditions = listed(
        900, [](auto i) { return "\"a" + i + R"(":{"ComparisonOperator":"NE","AttributeValueList":[{"N":"1"}]})"; });
    check(world.of("Query", R"({"TableName":"things","IndexName":"other","KeyConditions":{)" + conditions + "}}"));
    const auto equal = listed(
        9000, [](auto i) { return "\"a" + i + R"(":{"ComparisonOperator":"EQ","AttributeValueList":[{"N":"1"}]})"; });
    const auto query = R"({"TableName":"things","IndexName":"other","KeyConditions":{)" + equal + "}}";
    check(world.of("Query", packed(query), "gzip"));
    const auto same = repeated(R"("a":{"Value":{"N":"1"}})", 1500, ",");
    check(world.of("UpdateItem", "{" + key + R"(,"AttributeUpdates":{)" + same + "}}"));
}

TEST_CASE("sets taken from sets, again and again") {
    measured_world world;
    item whole{{"pk", "x"}, {"sk", 0}};
    for (int i = 0; i < 280; ++i) whole.emplace("b" + std::to_string(i), string_set{"one", "two"});
    world.put("things", whole);
    const auto members = R"(":v":{"SS":[)" + listed(9000, [](auto i) { return "\"" + i + "\""; }) + "]}";
    for (const char* verb : {"DELETE ", "ADD "}) {
        check(world.of("UpdateItem", update(verb + listed(280, [](auto i) { return "b" + i + " :v"; }), members)));
    }
}

TEST_CASE("a request that would take too much is told so, and a page or a batch ends before") {
    engine_world world;
    const attribute_list large(190'000, null{});
    attribute_list other = large;
    other.back() = true;
    world.put({{"pk", "a"}, {"a", large}});
    const std::string in_many = "a IN (" + repeated(":v", 100, ",") + ")";
    const auto refused = world.execute(update_of("", {{":v", other}}, in_many + " OR " + in_many));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == make_error_code(errc::validation));
    CHECK_THAT(refused.error().details.message, Catch::StartsWith("The request takes more work or memory than"));
    CHECK(world.get({{"pk", "a"}}).has_value());

    for (int i = 0; i < 20'000; ++i) world.put({{"pk", std::to_string(i)}, {"n", i}});
    scan_request costly;
    costly.table_name = "things";
    costly.filter_expression = repeated("n = :v", 149, " OR ");
    costly.values = {{":v", -1}};
    std::int64_t scanned = 0;
    int pages = 0;
    do {
        const auto page = world.execute(costly).value();
        scanned += page.scanned_count;
        ++pages;
        costly.exclusive_start_key = page.last_evaluated_key;
    } while (!costly.exclusive_start_key.empty());
    CHECK(scanned == 20'001);
    CHECK(pages > 1);
}

TEST_CASE("nobody can write what an older parameter is translated to") {
    engine_world world;
    scan_request request;
    request.table_name = "things";
    for (const char* mark : {"#old_parameter_0", "#@Filter_0", "#@0"}) {
        request.names = {{mark, "a"}};
        request.values = {{":v", 1}};
        request.filter_expression = mark + (" IN (" + repeated(":v", 200, ",")) + ")";
        const auto body = codec::encode_request(request);
        const auto decoded = codec::decode_request("Scan", body);
        if (!decoded) continue;
        const auto answer = world.store.execute(*decoded, world.now);
        REQUIRE_FALSE(answer);
        CHECK_THAT(answer.error().details.message, Catch::Contains("too many operands"));
    }
    // A translated key condition beside a filter in one's own words does not lift the filter's limits.
    const auto both = codec::decode_request(
        "Query",
        R"({"TableName":"things","KeyConditions":{"pk":{"ComparisonOperator":"EQ","AttributeValueList":[{"S":"a"}]}},)"
        R"("FilterExpression":"#@KeyCondition_0 IN ()" +
            repeated(":v", 200, ",") + R"j()","ExpressionAttributeValues":{":v":{"N":"1"}}})j");
    REQUIRE(both);
    const auto answer = world.store.execute(*both, world.now);
    REQUIRE_FALSE(answer);
    CHECK_THAT(answer.error().details.message, Catch::StartsWith("Invalid FilterExpression: Syntax error"));
}

TEST_CASE("what stands in the place of placeholders has a size") {
    engine_world world;
    attribute_values values;
    std::string expression = "SET ";
    for (const char c : std::string("abcdef")) {
        values.emplace(std::string(":") + c, std::string(390'000, 'x'));
        expression += std::string(c == 'a' ? "" : ",") + c + "1 = :" + c;
    }
    CHECK(world.fault(update_of(expression, values)) == "ExpressionAttributeValues exceeds max size");
}

TEST_CASE("the first of many paths that meet is told, whatever their number") {
    engine_world world;
    const auto fault = [&](const std::string& paths) { return world.fault(update_of("REMOVE " + paths)); };
    const auto told = [](const char* how, const char* one, const char* two) {
        return std::string("Invalid UpdateExpression: Two document paths ") + how +
               " with each other; must remove or rewrite one of these paths; path one: " + one + ", path two: " + two;
    };
    CHECK(fault("a.b, c, a.b.d, c.e") == told("overlap", "[a, b]", "[a, b, d]"));
    CHECK(fault("a.b.d, a.x, c, a.b, c.e") == told("overlap", "[a, b, d]", "[a, b]"));
    CHECK(fault("a.b.z, a.b.d, c, a.b") == told("overlap", "[a, b, z]", "[a, b]"));
    CHECK(fault("a[1], b.c, b.d, a.x, b.c.d") == told("overlap", "[b, c]", "[b, c, d]"));
    CHECK(fault("a[1], a[2], b, a.x") == told("conflict", "[a, [1]]", "[a, x]"));
    CHECK(fault("a.x, b, a.y, a[7]") == told("conflict", "[a, x]", "[a, [7]]"));
    CHECK(fault("a.x[1], a.y.z, a.x[2], a.y[3]") == told("conflict", "[a, y, z]", "[a, y, [3]]"));
    CHECK(fault("a.x[1], a.y.z, a.x[2]").find("Two document paths") == std::string::npos);
}

}  // namespace dynalease::local::test
