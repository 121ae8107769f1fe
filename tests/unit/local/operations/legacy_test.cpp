// The parameters from before expressions, over HTTP: they do what the same expressions do.
// SPDX-License-Identifier: BSL-1.0
#include "unit/local/http/http_peer.hpp"

#include <catch2/catch.hpp>

#include <vector>

namespace dynalease::local::test {

namespace {

/// A server with a table "things" that holds the items a (n 1), b (n 2, tags x and y) and c (no n).
struct legacy_world {
    legacy_world() {
        ask("CreateTable", create_things);
        ask("PutItem", R"({"TableName":"things","Item":{"pk":{"S":"a"},"n":{"N":"1"}}})");
        ask("PutItem", R"({"TableName":"things","Item":{"pk":{"S":"b"},"n":{"N":"2"},"tags":{"SS":["x","y"]}}})");
        ask("PutItem", R"({"TableName":"things","Item":{"pk":{"S":"c"}}})");
    }

    http_answer ask(std::string_view operation, const std::string& body) {
        return client.ask(signed_request(operation, body));
    }
    std::string get(const std::string& key) {
        return ask("GetItem", R"({"TableName":"things","Key":{"pk":{"S":")" + key + "\"}}}").body;
    }
    /// Whether the condition let an empty update of `a` pass.
    bool holds(const std::string& expected, const std::string& more = "") {
        const auto answer = ask(
            "UpdateItem", R"({"TableName":"things","Key":{"pk":{"S":"a"}},"Expected":{)" + expected + "}" + more + "}");
        if (answer.status == 200) return true;
        CHECK_THAT(answer.body, Catch::Contains("ConditionalCheckFailedException"));
        return false;
    }

    running_server server;
    peer client{server.port()};
};

}  // namespace

TEST_CASE("AttributesToGet is a projection") {
    legacy_world world;
    CHECK(
        world.ask("GetItem", R"({"TableName":"things","Key":{"pk":{"S":"b"}},"AttributesToGet":["n","gone"]})").body ==
        R"({"Item":{"n":{"N":"2"}}})");
    CHECK_THAT(world.ask("Scan", R"({"TableName":"things","AttributesToGet":["n"]})").body,
               Catch::Contains(R"({"n":{"N":"1"}})") && !Catch::Contains("tags"));
}

TEST_CASE("Expected is a condition") {
    legacy_world world;
    CHECK(world.holds(R"("n":{"Value":{"N":"1"}})"));
    CHECK_FALSE(world.holds(R"("n":{"Value":{"N":"2"}})"));
    CHECK(world.holds(R"("x":{"Exists":false})"));
    CHECK_FALSE(world.holds(R"("n":{"Exists":false})"));
    CHECK(world.holds(R"("n":{"ComparisonOperator":"BETWEEN","AttributeValueList":[{"N":"0"},{"N":"1"}]})"));
    CHECK(world.holds(R"("n":{"ComparisonOperator":"IN","AttributeValueList":[{"N":"7"},{"N":"1"}]})"));
    CHECK_FALSE(world.holds(R"("n":{"ComparisonOperator":"NULL"})"));
    CHECK_FALSE(world.holds(R"("n":{"Value":{"N":"1"}},"x":{"ComparisonOperator":"NOT_NULL"})"));
    CHECK(world.holds(R"("n":{"Value":{"N":"1"}},"x":{"ComparisonOperator":"NOT_NULL"})",
                      R"(,"ConditionalOperator":"OR")"));
}

TEST_CASE("ConditionalOperator needs two conditions") {
    legacy_world world;
    CHECK_THAT(world.ask("Query", R"({"TableName":"things","ConditionalOperator":"AND"})").body,
               Catch::Contains(R"("message":"ConditionalOperator cannot be used without Filter or Expected")"));
    CHECK_THAT(world
                   .ask("Scan", R"({"TableName":"things","ConditionalOperator":"AND","ScanFilter":{"n":)"
                                R"({"ComparisonOperator":"NULL"}}})")
                   .body,
               Catch::Contains(R"("message":"ConditionalOperator can only be used when Filter or Expected has two or )"
                               R"(more elements")"));
}

TEST_CASE("AttributeUpdates is held to the limit of an item by nothing but the item") {
    legacy_world world;
    const auto put = [&](std::size_t bytes) {
        return world
            .ask("UpdateItem", R"({"TableName":"things","Key":{"pk":{"S":"new"}},"AttributeUpdates":{"b":{"Action":)"
                               R"("PUT","Value":{"S":")" +
                                   std::string(bytes, 'x') + R"("}}}})")
            .status;
    };
    const std::size_t fits = 400 * 1024 - std::string_view("pknewb").size();
    CHECK(put(fits + 1) == 400);
    CHECK(put(fits) == 200);
}

TEST_CASE("AttributeUpdates is an update") {
    legacy_world world;
    const auto update = [&](const std::string& updates) {
        const auto answer = world.ask("UpdateItem", R"({"TableName":"things","Key":{"pk":{"S":"b"}},"ReturnValues":)"
                                                    R"("UPDATED_NEW","AttributeUpdates":{)" +
                                                        updates + "}}");
        INFO(answer.body);
        CHECK(answer.status == 200);
        return answer.body;
    };
    CHECK(update(R"("n":{"Action":"ADD","Value":{"N":"5"}})") == R"({"Attributes":{"n":{"N":"7"}}})");
    CHECK(update(R"("s":{"Value":{"S":"new"}})") == R"({"Attributes":{"s":{"S":"new"}}})");
    CHECK(update(R"("tags":{"Action":"DELETE","Value":{"SS":["x"]}})") == R"({"Attributes":{"tags":{"SS":["y"]}}})");
    CHECK(update(R"("list":{"Action":"ADD","Value":{"L":[{"N":"1"}]}})") ==
          R"({"Attributes":{"list":{"L":[{"N":"1"}]}}})");
    update(R"("s":{"Action":"DELETE"},"list":{"Action":"DELETE"})");
    CHECK(world.get("b") == R"({"Item":{"n":{"N":"7"},"pk":{"S":"b"},"tags":{"SS":["y"]}}})");
}

TEST_CASE("KeyConditions and the filters find what expressions find") {
    legacy_world world;
    const std::string by_key =
        R"({"TableName":"things","KeyConditions":{"pk":{"ComparisonOperator":"EQ","AttributeValueList":[{"S":"b"}]}})";
    CHECK_THAT(world.ask("Query", by_key + "}").body, Catch::Contains(R"("Count":1)"));
    CHECK_THAT(world
                   .ask("Query", by_key + R"(,"QueryFilter":{"n":{"ComparisonOperator":"GT","AttributeValueList":)"
                                          R"([{"N":"2"}]}}})")
                   .body,
               Catch::Contains(R"("Count":0)"));
    const auto scanned = [&](const std::string& filter) {
        return world.ask("Scan", R"({"TableName":"things","ScanFilter":{)" + filter + "}}").body;
    };
    CHECK_THAT(scanned(R"("n":{"ComparisonOperator":"NOT_NULL"})"), Catch::Contains(R"("Count":2)"));
    CHECK_THAT(scanned(R"("tags":{"ComparisonOperator":"CONTAINS","AttributeValueList":[{"S":"x"}]})"),
               Catch::Contains(R"("Count":1)"));
    CHECK_THAT(scanned(R"("pk":{"ComparisonOperator":"BEGINS_WITH","AttributeValueList":[{"S":"b"}]})"),
               Catch::Contains(R"("Count":1)"));
    CHECK_THAT(scanned(R"("n":{"ComparisonOperator":"NOT_CONTAINS","AttributeValueList":[{"N":"1"}]})"),
               Catch::Contains(R"("Count":2)"));
    CHECK_THAT(scanned(R"("n":{"ComparisonOperator":"EQ","AttributeValueList":[]})"),
               Catch::Contains("Invalid number of argument(s) for the EQ ComparisonOperator"));
}

TEST_CASE("older parameters are not bound to the limits of expressions") {
    legacy_world world;
    constexpr int many = 400;
    std::string updates;
    std::string wanted;
    for (int i = 0; i < many; ++i) {
        const std::string digits = std::to_string(i);
        updates += (i ? R"(,"a)" : R"("a)") + digits + R"(":{"Value":{"N":")" + digits + R"("}})";
        wanted += (i ? R"(,{"N":")" : R"({"N":")") + digits + R"("})";
    }
    const auto update = world.ask(
        "UpdateItem", R"({"TableName":"things","Key":{"pk":{"S":"a"}},"AttributeUpdates":{)" + updates + "}}");
    CHECK(update.body == "{}");
    CHECK_THAT(world.get("a"), Catch::Contains(R"("a399":{"N":"399"})"));
    const auto scan = world.ask(
        "Scan", R"({"TableName":"things","ScanFilter":{"n":{"ComparisonOperator":"IN","AttributeValueList":[)" +
                    wanted + "]}}}");
    CHECK_THAT(scan.body, Catch::Contains(R"("Count":2)"));
}

TEST_CASE("what the older parameters get wrong is told in their own words") {
    legacy_world world;
    const auto update = [&](const std::string& change) {
        return world
            .ask("UpdateItem", R"({"TableName":"things","Key":{"pk":{"S":"b"}},"AttributeUpdates":{)" + change + "}}")
            .body;
    };
    const auto mismatch = Catch::Contains("Type mismatch for attribute to update");
    CHECK_THAT(update(R"("tags":{"Action":"ADD","Value":{"NS":["1"]}})"), mismatch);
    CHECK_THAT(update(R"("tags":{"Action":"DELETE","Value":{"NS":["1"]}})"), mismatch);
    CHECK_THAT(update(R"("n":{"Action":"ADD","Value":{"L":[]}})"), mismatch);
    const auto query = [&](const std::string& more) {
        return world.ask("Query", R"({"TableName":"things",)" + more + "}").body;
    };
    const std::string by_key = R"("KeyConditions":{"pk":{"ComparisonOperator":"EQ","AttributeValueList":[{"S":"b"}]}})";
    CHECK_THAT(query(R"("KeyConditions":{"pk":{"ComparisonOperator":"NE","AttributeValueList":[{"S":"b"}]}})"),
               Catch::Contains("Attempted conditional constraint is not an indexable operation"));
    CHECK_THAT(query(by_key + R"(,"QueryFilter":{"pk":{"ComparisonOperator":"NOT_NULL"}})"),
               Catch::Contains("QueryFilter can only contain non-primary key attributes: Primary key attribute: pk"));
    CHECK_THAT(query(by_key + R"(,"Select":"COUNT","AttributesToGet":["n"])"),
               Catch::Contains("Cannot specify the AttributesToGet when choosing to get only the Count"));
}

}  // namespace dynalease::local::test
