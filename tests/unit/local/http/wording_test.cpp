// The words of the service's validation since June 2026, and those before: what of a request is counted, what is not.
// SPDX-License-Identifier: BSL-1.0
#include "local/http/request_service.hpp"
#include "support/asked_service.hpp"

#include <dynalease/runtime/clock.hpp>

#include <catch2/catch.hpp>

#include <memory>
#include <string>

namespace dynalease::local::test {

namespace {

const std::string of_things = R"({"TableName":"things",)";
const std::string with_key = of_things + R"("Key":{"p":{"S":"a"}},)";
const std::string with_item = of_things + R"("Item":{"p":{"S":"a"})";
const std::string bad_words = of_things.substr(0, 13) + R"("a;","Item":{"p":{"S":"a"}},"ReturnValues":"x"})";

/// A server with a table "things" of the key "p", and two ways to hear of a fault.
class refusals {
public:
    refusals() {
        newer("CreateTable", of_things +
                                 R"("AttributeDefinitions":[{"AttributeName":"p","AttributeType":"S"}],"KeySchema":)"
                                 R"([{"AttributeName":"p","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"})");
    }

    std::string newer(const std::string& operation, const std::string& body) { return said(newer_, operation, body); }
    std::string older(const std::string& operation, const std::string& body) { return said(older_, operation, body); }

private:
    /// What follows `"message":"` in the answer.
    static std::string said(request_service& server, const std::string& operation, const std::string& body) {
        const std::string answer =
            tests::asked(server, operation, body, engine::time(std::chrono::hours(500'000))).body;
        const std::string before = R"("message":")";
        const auto start = answer.find(before);
        return start == std::string::npos ? answer : answer.substr(start + before.size());
    }

    std::shared_ptr<engine> store_ = std::make_shared<engine>();
    request_service newer_{store_, std::nullopt};
    request_service older_{store_, std::nullopt, "*", codec::wording::older};
};

const std::string counted = "1 validation error detected: ";

struct fault {
    std::string operation;
    std::string body;
    std::string text;  ///< how it begins
};

}  // namespace

TEST_CASE("PutItem and UpdateItem count the faults of a request itself, and in the older words do not") {
    refusals asked;
    const std::string values = R"("UpdateExpression":"SET x = :v","ExpressionAttributeValues":{":v":)";
    const fault faults[] = {
        {"PutItem", with_item + R"(,"x":{"SS":[]}}})", "One or more parameter values were invalid: An string set "},
        {"PutItem", with_item + R"(,"x":{"BS":[]}}})", "One or more parameter values were invalid: Binary sets should"},
        {"PutItem", with_item + R"(,"x":{"SS":["a","a"]}}})",
         "One or more parameter values were invalid: Input collection"},
        {"PutItem", with_item + R"(,"x":{"NS":["1","1.0"]}}})", "Input collection contains duplicates"},
        {"PutItem", with_item + R"(,"x":{"L":[{"NULL":false}]}}})",
         "One or more parameter values were invalid: Null attr"},
        {"PutItem", with_item + R"(},"ConditionExpression":"a = = b"})", "Invalid ConditionExpression: Syntax error"},
        {"PutItem", with_item + R"~(},"ConditionExpression":"((a = b))"})~",
         "Invalid ConditionExpression: The expression has"},
        {"PutItem", with_item + R"~(},"ConditionExpression":"contains(a, a)"})~", "Invalid ConditionExpression: The "},
        {"PutItem", with_item + R"(},"ConditionExpression":"a = :v"})",
         "Invalid ConditionExpression: An expression attr"},
        {"PutItem", with_item + R"(},"ReturnValues":"ALL_NEW"})", "ReturnValues can only be ALL_OLD or NONE"},
        {"PutItem", with_item + R"(},"ExpressionAttributeValues":{":v":{"S":"x"}}})",
         "ExpressionAttributeValues can only be specified when using expressions"},
        {"PutItem", with_item + R"(},"Expected":{"x":{"Exists":false}},"ConditionExpression":"a = b"})",
         "Can not use both expression and non-expression parameters"},
        {"UpdateItem", with_key + values + R"({"NULL":false}}})",
         "ExpressionAttributeValues contains invalid value: One "},
        {"UpdateItem", with_key + values + R"({"NS":[]}}})",
         "ExpressionAttributeValues contains invalid value: One or "},
        {"UpdateItem", with_key + R"("UpdateExpression":"SET x"})", "Invalid UpdateExpression: Syntax error"},
        {"UpdateItem", with_key + R"("UpdateExpression":")" + std::string(5'000, 'a') + R"("})",
         "Invalid UpdateExpression: Expression size has exceeded"},
    };
    for (const auto& [operation, body, text] : faults) {
        INFO(operation << ' ' << body.substr(0, 200));
        CHECK_THAT(asked.newer(operation, body), Catch::StartsWith(counted + text));
        CHECK_THAT(asked.older(operation, body), Catch::StartsWith(text));
    }
}

TEST_CASE("what only the table or the item makes a fault is told bare, and so are the other operations' faults") {
    refusals asked;
    const std::string given = R"("ExpressionAttributeValues":{":v":{"S":"x"}}})";
    const fault faults[] = {
        {"PutItem", of_things + R"("Item":{"p":{"N":"1"}}})", "One or more parameter values were invalid: Type mismat"},
        {"PutItem", of_things + R"("Item":{"p":{"S":""}}})", "One or more parameter values "},
        {"PutItem", with_item + R"(,"x":{}}})", "Supplied AttributeValue is empty"},
        {"PutItem", with_item + R"(,"x":{"S":")" + std::string(410'000, 'x') + R"("}}})", "Item size has exceeded"},
        {"PutItem", with_item + R"(},"ConditionExpression":""})",
         "Invalid ConditionExpression: The expression can not be"},
        {"PutItem", with_item + R"~(},"ConditionExpression":"attribute_exists(a)",)~" + given,
         "Value provided in Expression"},
        {"UpdateItem", with_key + R"("UpdateExpression":"SET p = :v",)" + given,
         "One or more parameter values were inva"},
        {"UpdateItem", with_key + R"("UpdateExpression":"SET x = y"})",
         "The provided expression refers to an attribute "},
        {"UpdateItem", with_key + R"("UpdateExpression":"SET x.y = :v",)" + given,
         "The document path provided in the "},
        {"UpdateItem", with_key + R"("ExpressionAttributeNames":{"#a":"b"}})", "ExpressionAttributeNames can only be"},
        {"DeleteItem", with_key + R"("ConditionExpression":"a = = b"})", "Invalid ConditionExpression: Syntax error"},
        {"GetItem", with_key + R"("ProjectionExpression":"a b"})", "Invalid ProjectionExpression: Syntax error"},
    };
    for (const auto& [operation, body, text] : faults) {
        INFO(operation << ' ' << body.substr(0, 200));
        CHECK_THAT(asked.newer(operation, body), Catch::StartsWith(text));
        CHECK(asked.older(operation, body) == asked.newer(operation, body));
    }
}

TEST_CASE("a table's name that none can have is told alone in the newer words, and beside other faults in the older") {
    refusals asked;
    const std::string table = "Value 'a;' at 'tableName' failed to satisfy constraint: Member must satisfy regular";
    CHECK_THAT(asked.newer("PutItem", bad_words), Catch::StartsWith(counted + table));
    CHECK_THAT(asked.older("PutItem", bad_words), Catch::StartsWith("2 validation errors detected: Value 'x' at"));
    CHECK_THAT(asked.newer("UpdateItem", "{}"), Catch::StartsWith(counted + "Value null at 'tableName'"));
    CHECK_THAT(asked.older("UpdateItem", "{}"), Catch::StartsWith("2 validation errors detected: Value null at"));
}

TEST_CASE("limits with newer words of their own have the older ones, too") {
    refusals asked;
    const std::string query = of_things + R"("KeyConditionExpression":"p = p","Limit":0})";
    CHECK_THAT(asked.newer("Query", query), Catch::StartsWith(counted + "Value at 'Limit' failed"));
    CHECK_THAT(asked.older("Query", query), Catch::StartsWith(counted + "Value '0' at 'limit' failed"));
}

}  // namespace dynalease::local::test
