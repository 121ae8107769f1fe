// Of several faults in one request the one that DynamoDB tells, in its words. Over HTTP, for decoding has a part in it.
// SPDX-License-Identifier: BSL-1.0
#include "unit/local/http/http_peer.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace dynalease::local::test {

namespace {

/// A server with a table "lists": hash `p`, range `c`, an index "by_x" on the string `x`.
struct fault_world {
    fault_world() {
        const auto made =
            ask("CreateTable",
                R"({"TableName":"lists","AttributeDefinitions":[{"AttributeName":"p","AttributeType":"S"},)"
                R"({"AttributeName":"c","AttributeType":"N"},{"AttributeName":"x","AttributeType":"S"}],"KeySchema":)"
                R"([{"AttributeName":"p","KeyType":"HASH"},{"AttributeName":"c","KeyType":"RANGE"}],"BillingMode":)"
                R"("PAY_PER_REQUEST","GlobalSecondaryIndexes":[{"IndexName":"by_x","KeySchema":[{"AttributeName":"x",)"
                R"("KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}]})");
        REQUIRE(made.status == 200);
    }

    http_answer ask(std::string_view operation, const std::string& body) {
        return client.ask(signed_request(operation, body));
    }

    running_server server;
    peer client{server.port()};
};

struct row {
    std::string operation;
    std::string body;
    std::string words;
};

void check(const std::vector<row>& rows) {
    fault_world world;
    for (const auto& [operation, body, words] : rows) {
        INFO(operation << " " << body.substr(0, 300));
        CHECK_THAT(world.ask(operation, body).body, Catch::Contains(words));
    }
}

const std::string nowhere = R"({"TableName":"nowhere",)";
const std::string lists = R"({"TableName":"lists",)";
const std::string key = R"("Key":{"p":{"S":"a"},"c":{"N":"1"}},)";

/// A value in so many maps.
std::string deep(int levels) {
    std::string value = R"({"S":"x"})";
    for (int i = 0; i < levels; ++i) value = R"({"M":{"n":)" + value + "}}";
    return value;
}

std::string transaction(const std::string& first, const std::string& second) {
    return R"({"TransactItems":[)" + first + "," + second + "]}";
}

}  // namespace

TEST_CASE("what is wrong without the table is told before a table that is not there") {
    const std::string large(410'000, 'x');
    check({
        {"PutItem", nowhere + R"("Item":{"p":{"S":")" + large + R"("}}})", "Item size has exceeded"},
        {"BatchWriteItem", R"({"RequestItems":{"nowhere":[{"PutRequest":{"Item":{"p":{"S":")" + large + R"("}}}}]}})",
         "Item size has exceeded"},
        {"BatchGetItem", R"({"RequestItems":{"nowhere":{"Keys":[{"p":{"S":"a"}},{"p":{"S":"a"}}]}}})",
         "Provided list of item keys contains duplicates"},
        {"Query",
         nowhere + R"("KeyConditionExpression":"p = :p OR c = :p","ExpressionAttributeValues":{":p":{"S":"a"}}})",
         "Invalid operator used in KeyConditionExpression: OR"},
        {"Query", nowhere + R"("KeyConditions":{"p":{"ComparisonOperator":"NE","AttributeValueList":[{"S":"a"}]}}})",
         "Requested resource not found"},
        {"BatchGetItem", R"({"RequestItems":{}})", "The requestItems parameter is required for BatchGetItem"},
        {"BatchWriteItem", R"({"RequestItems":{}})", "The requestItems parameter is required for BatchWriteItem"},
        {"BatchGetItem",
         R"({"RequestItems":{"one":{"Keys":[{}],"AttributesToGet":["a"]},"two":{"Keys":[{}],)"
         R"("ProjectionExpression":"a"}}})",
         "Can not use both expression and non-expression parameters"},
    });
}

TEST_CASE("placeholders are looked at before the expressions, and these in their order") {
    check({
        {"GetItem", lists + key + R"("ProjectionExpression":"","ExpressionAttributeNames":{}})",
         "ExpressionAttributeNames must not be empty"},
        {"GetItem", lists + key + R"("ProjectionExpression":""})",
         "Invalid ProjectionExpression: The expression can not be empty;"},
        {"DeleteItem", lists + key + R"("ConditionExpression":"","ExpressionAttributeValues":{":a":{},"b":{"S":"x"}}})",
         R"(contains invalid key: Syntax error; key: \"b\")"},
        {"Query", lists + R"("KeyConditionExpression":"p >","FilterExpression":""})",
         "Invalid KeyConditionExpression: Syntax error"},
        {"Scan", lists + R"("FilterExpression":"a = between"})", "Invalid FilterExpression: Syntax error"},
        {"Scan", lists + R"x("FilterExpression":"abort = b AND ((a = b))"})x", "redundant parentheses"},
        {"GetItem", lists + key + R"("ProjectionExpression":"b.c, a, b"})", "path one: [b, c], path two: [b]"},
        {"GetItem", lists + key + R"("ProjectionExpression":"b[1], b.c"})",
         "Two document paths conflict with each other; must remove or rewrite one of these paths; path one: [b, [1]], "
         "path two: [b, c]"},
        {"UpdateItem", lists + key + R"("UpdateExpression":"SET a = set"})",
         R"(Invalid UpdateExpression: Syntax error; token: \"set\")"},
        {"UpdateItem", lists + key + R"x("UpdateExpression":"SET a = list_append(list_append(b, b), b)"})x",
         "not allowed to be used this way in an expression; function: list_append"},
        {"UpdateItem", lists + key + R"x("UpdateExpression":"SET #a = if_not_exists(:a)"})x",
         "An expression attribute name used in the document path is not defined; attribute name: #a"},
    });
}

TEST_CASE("a key condition is told its faults from the form to the schema") {
    const std::string one = R"("ExpressionAttributeValues":{":a":{"S":"a"}},"KeyConditionExpression":)";
    check({
        {"Query", lists + one + R"("size(p) BETWEEN :a AND :a"})",
         "BETWEEN operator must have the key attribute as its first operand"},
        {"Query", lists + one + R"("p.q = c.d AND p = :a"})", "cannot have conditions on nested attributes"},
        {"Query", lists + one + R"("p = c AND p = :a"})", "Multiple attribute names used in one condition"},
        {"Query", lists + one + R"("p = :a","ExclusiveStartKey":{}})", "The provided starting key is invalid"},
        {"Query", lists + one + R"("p = :a","ExclusiveStartKey":{"p":{"S":"a"},"q":{"N":"1"}}})",
         "The provided starting key is invalid"},
        {"Query", lists + one + R"("p = :a","ExclusiveStartKey":{"p":{"S":"a"},"c":{"S":"1"}}})",
         "The provided key element does not match the schema"},
        {"Query", lists + one + R"x("p = :a AND begins_with(c, :a)"})x",
         "Condition parameter type does not match schema type"},
        {"Query", lists + one + R"("x = :a AND c = :a","IndexName":"by_x"})", "Query key condition not supported"},
        {"Query", lists + one + R"("p = :a","FilterExpression":"x.y = :a"})",
         "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: IndexKey: x"},
    });
}

TEST_CASE("an update may not give an index key a type it cannot have") {
    const std::string one = R"("ExpressionAttributeValues":{":n":{"N":"1"}},)";
    check({
        {"UpdateItem", lists + key + one + R"("UpdateExpression":"SET x = :n"})",
         "Type mismatch for Index Key x Expected: S Actual: N IndexName: by_x"},
        {"UpdateItem", lists + key + one + R"("UpdateExpression":"ADD x :n"})", "Type mismatch for Index Key x"},
        {"UpdateItem", lists + key + one + R"("UpdateExpression":"SET x = y + :n"})", "Type mismatch for Index Key x"},
        {"UpdateItem", lists + key + R"("UpdateExpression":"SET x = c"})",
         "The update expression attempted to update the secondary index key to unsupported type"},
        {"UpdateItem", lists + key + R"("UpdateExpression":"SET y = x[0]"})", "are not allowed: IndexKey: x"},
        {"UpdateItem", lists + key + R"("UpdateExpression":"SET x = p"})", "{}"},
    });
}

TEST_CASE("faults that are told at once have the order of the service") {
    const std::string none = R"("ReturnValues":"x","ReturnConsumedCapacity":"x","TableName":""})";
    const std::string capacity = R"(Value 'x' at 'returnConsumedCapacity' failed to satisfy constraint: Member must )"
                                 R"(satisfy enum value set: [INDEXES, TOTAL, NONE]; )";
    const std::string returned = R"(Value 'x' at 'returnValues' failed to satisfy constraint: Member must satisfy )"
                                 R"(enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]; )";
    const std::string table = R"(Value '' at 'tableName' failed to satisfy constraint: Member must have length )"
                              R"(greater than or equal to 1)";
    const std::string index = R"("Projection":{"ProjectionType":"ALL"},"KeySchema":[{"AttributeName":"p",)"
                              R"("KeyType":"HASH"}]}],)";
    check({
        {"DeleteItem", "{" + none,
         "4 validation errors detected: " + capacity + table + "; " + returned + "Value null at 'key'"},
        {"UpdateItem", "{" + none, "1 validation error detected: " + table + "\""},
        {"UpdateItem", R"({"TableName":"lists","ReturnValues":"x"})",
         "2 validation errors detected: " + returned + "Value null at 'key'"},
        {"TransactWriteItems",
         R"({"ReturnConsumedCapacity":"x","ClientRequestToken":"","TransactItems":[{"Put":{"TableName":"lists",)"
         R"("Item":{}}}]})",
         "2 validation errors detected: Value '' at 'clientRequestToken'"},
        {"CreateTable",
         R"({"LocalSecondaryIndexes":[{"IndexName":"a",)" + index + R"("GlobalSecondaryIndexes":[{"IndexName":"b",)" +
             index +
             R"("TableName":"things","AttributeDefinitions":[],"KeySchema":[{"AttributeName":"p",)"
             R"("KeyType":"HASH"}]})",
         "2 validation errors detected: Value 'b' at 'globalSecondaryIndexes.1.member.indexName'"},
    });
}

TEST_CASE("a transaction is told the fault of its first action that has one") {
    const std::string too_deep = "Nesting Levels have exceeded supported limits";
    const std::string condition = R"(,"ConditionExpression":"a = = b"}})";
    const auto put = [&](const std::string& more) {
        return R"({"Put":)" + nowhere + R"("Item":{"p":{"S":"a"})" + more;
    };
    const auto erase = [&](int levels) { return R"({"Delete":)" + nowhere + R"("Key":{"p":)" + deep(levels) + "}"; };
    check({
        {"TransactWriteItems", transaction(put(R"(,"d":)" + deep(32) + "}}}"), put("}" + condition)), too_deep},
        {"TransactWriteItems", transaction(put("}" + condition), put(R"(,"d":)" + deep(32) + "}}}")), "Syntax error"},
        {"TransactWriteItems", transaction(put("}" + condition), erase(100) + "}}"), "Syntax error"},
        {"TransactWriteItems", transaction(erase(40) + "}}", put("}" + condition)), too_deep},
        {"TransactWriteItems", transaction(erase(100) + condition, put("}}}")), "Syntax error"},
        {"TransactWriteItems", transaction(put(R"(,"":{"S":"x"}}}})"), put(R"(,"d":)" + deep(100) + "}}}")),
         R"(ssage":"Empty attribute name"})"},
        {"TransactWriteItems", transaction(put(R"(,"m":{"M":{"":{"S":"x"}}},"z":)" + deep(40) + "}}}"), put("}}}")),
         too_deep},
    });
}

TEST_CASE("a value in more than 31 lists and maps is refused wherever it is sent, and before the table is looked for") {
    const std::string value = R"({":a":)" + deep(32) + "}";
    const std::string whole_key = R"({"p":)" + deep(32) + "}";
    const std::string words =
        "Nesting Levels have exceeded supported limits: Attributes in the item have nested "
        "levels beyond supported limit";
    const std::string by_value = R"("ExpressionAttributeValues":)" + value;
    check({
        {"PutItem", nowhere + R"("Item":)" + whole_key + "}", words},
        {"UpdateItem", nowhere + key + by_value + R"(,"UpdateExpression":"SET a = :a"})", words},
        {"UpdateItem", nowhere + R"("Key":)" + whole_key + "}", words},
        {"DeleteItem", nowhere + R"("Key":)" + whole_key + "}", words},
        {"DeleteItem", nowhere + R"("ReturnValues":"ALL_NEW","Key":)" + whole_key + "}", "ReturnValues can only be"},
        {"GetItem", nowhere + R"("Key":)" + whole_key + "}", words},
        {"Query", nowhere + by_value + R"(,"KeyConditionExpression":"p = :a"})", words},
        {"Scan", nowhere + by_value + R"(,"FilterExpression":"p = :a"})", words},
        {"Scan", nowhere + R"("ExclusiveStartKey":)" + whole_key + "}", words},
        {"BatchGetItem", R"({"RequestItems":{"nowhere":{"Keys":[)" + whole_key + "]}}}", words},
        {"BatchWriteItem", R"({"RequestItems":{"nowhere":[{"DeleteRequest":{"Key":)" + whole_key + "}}]}}", words},
        {"TransactGetItems", R"({"TransactItems":[{"Get":)" + nowhere + R"("Key":)" + whole_key + "}}]}", words},
    });
}

TEST_CASE("names of attributes have at least one byte and at most 65535") {
    const std::string large(70'000, 'n');
    check({
        {"PutItem", lists + R"("Item":{"p":{"S":"a"},"c":{"N":"1"},"":{"N":"1"}}})", "Empty attribute name"},
        {"PutItem", lists + R"("Item":{"p":{"S":"a"},"c":{"N":"1"},")" + large + R"(":{"N":"1"}}})",
         "must be less than 65536 bytes"},
        {"GetItem", lists + key + R"("AttributesToGet":[")" + large + R"("]})", "must be less than 65536 bytes"},
    });
}

}  // namespace dynalease::local::test
