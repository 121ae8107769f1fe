// Bodies that are not what they should be: each a clear error, on both sides.
// SPDX-License-Identifier: BSL-1.0
#include "dynamodb/server_codec.hpp"

#include <catch2/catch.hpp>

namespace dynalease {

namespace {

const std::size_t get_item = any_request(get_item_request{}).index();
const std::size_t put_item = any_request(put_item_request{}).index();

std::string repeated(std::string_view piece, std::size_t times) {
    std::string out;
    for (std::size_t i = 0; i < times; ++i) out += piece;
    return out;
}

std::string nested(std::size_t levels) {
    return repeated(R"({"L":[)", levels) + R"({"S":"x"})" + repeated("]}", levels);
}

std::string item_with(std::string_view value) {
    return R"({"Item":{"a":)" + std::string(value) + "}}";
}

}  // namespace

TEST_CASE("an answer that is not the service's is a bad response that names the place") {
    const auto [body, message] = GENERATE(table<std::string, std::string>({
        {"", "the body is empty"},
        {" ", "no JSON"},
        {"null", "expected an object"},
        {"[]", "expected an object"},
        {"1", "expected an object"},
        {"<html><body>502</body></html>", "no JSON at byte 0"},
        {R"({"Item":{}} x)", "no JSON"},
        {R"({}{})", "no JSON"},
        {std::string("{}\0", 3), "goes on after its end"},
        {R"({"Item":{},})", "no JSON"},
        {R"({"Item":[]})", "Item: expected an object"},
        {R"({"Item":"x"})", "Item: expected an object"},
        {item_with("1"), "Item.a: expected an object"},
        {item_with("null"), "Item.a: expected an object"},
        {item_with("{}"), "Item.a: Supplied AttributeValue is empty"},
        {item_with(R"({"S":"x","N":"1"})"), "more than one datatypes set"},
        {item_with(R"({"S":"x","S":"y"})"), "more than one datatypes set"},
        {item_with(R"({"X":"x"})"), "Item.a: Supplied AttributeValue is empty"},
        {item_with(R"({"s":"x"})"), "Supplied AttributeValue is empty"},
        {item_with(R"({"S":1})"), "Item.a: expected a string"},
        {item_with(R"({"S":null})"), "Supplied AttributeValue is empty"},
        {item_with(R"({"N":1})"), "expected a string"},
        {item_with(R"({"N":""})"), "cannot be converted to a numeric value"},
        {item_with(R"({"N":"one"})"), "cannot be converted to a numeric value: one"},
        {item_with(R"({"N":"1.0e100000000"})"), "Number overflow"},
        {item_with(R"({"N":"123456789012345678901234567890123456789"})"), "more than 38 significant digits"},
        {item_with(R"({"B":"Zg="})"), "expected base64"},
        {item_with(R"({"B":"Zh=="})"), "expected base64"},
        {item_with(R"({"BOOL":"maybe"})"), "expected true or false"},
        {item_with(R"({"NULL":false})"), "must have the value of true"},
        {item_with(R"({"L":{}})"), "expected an array"},
        {item_with(R"({"M":[]})"), "expected an object"},
        {item_with(R"({"L":[{"S":"x"},{"M":{"b":{"N":"x"}}}]})"), "Item.a[].b: The parameter cannot be converted"},
        {item_with(R"({"SS":"x"})"), "expected an array"},
        {item_with(R"({"SS":[]})"), "An string set  may not be empty"},
        {item_with(R"({"SS":["x","x"]})"), "Input collection [x, x] contains duplicates."},
        {item_with(R"({"NS":["1","1.0"]})"), "Input collection contains duplicates"},
        {item_with(R"({"BS":["Zg==","Zg=="]})"), "[Zg==, Zg==]of type BS contains duplicates."},
        {item_with(R"({"NS":[1]})"), "expected a string"},
        {R"({"Item":{"a":{"S":"x"},"a":{"S":"y"}}})", "\"a\" occurs twice"},
        {R"({"Item":{"a":{"S":"\ud800"}}})", "no JSON"},
        {R"({"Item":{"a":{"S":"x\udc00y"}}})", "no JSON at byte 20"},
        {R"({"Item":{"a":{"S":"\ud83d\ude00\udE00"}}})", "no JSON"},
        {R"({"Item":{"\\\uDFFF":{"S":"x"}}})", "no JSON"},
        {"{\"Item\":{\"a\":{\"S\":\"\xc3\x28\"}}}", "no JSON"},
        {"{\"Item\":{\"a\":{\"S\":\"\xff\"}}}", "no JSON"},
        {item_with(nested(1000)), "nested too deeply"},
        {R"({"unknown":)" + repeated("[", 100'000), "nested too deeply"},
        {R"({"ConsumedCapacity":{"CapacityUnits":"1"}})", "ConsumedCapacity.CapacityUnits: expected a number"},
        {R"({"ConsumedCapacity":{"CapacityUnits":1e999}})", "no JSON"},
    }));
    INFO(body.substr(0, 200));
    const auto answer = codec::decode_response(get_item, body);
    REQUIRE(answer.has_error());
    CHECK(answer.error().code == errc::bad_response);
    CHECK(answer.error().outcome == outcome::not_applied);
    CHECK(answer.error().details.operation == "GetItem");
    CHECK_THAT(answer.error().details.message, Catch::Contains(message));
}

TEST_CASE("a write whose answer cannot be read is in doubt") {
    const auto answer = codec::decode_response(put_item, "<html>");
    REQUIRE(answer.has_error());
    CHECK(answer.error().outcome == outcome::unknown);
}

TEST_CASE("16 MB of items are more than 16 MB of JSON") {
    const std::string bytes = repeated("AAAA", 400 * 1024 / 4);
    std::string body = R"({"Responses":{"table":[)";
    for (int i = 0; i < 50; ++i) body += (i == 0 ? R"({"b":{"B":")" : R"(,{"b":{"B":")") + bytes + "\"}}";
    const auto answer = codec::decode_response(any_request(batch_get_item_request{}).index(), body + "]}}");
    REQUIRE(answer.has_value());
    CHECK(std::get<batch_get_item_response>(*answer).items.at("table").size() == 50);
}

TEST_CASE("items that JSON makes many times longer are read, up to what the service's 16 MB can become") {
    const std::string text = repeated(R"(\u0001)", 390 * 1024);
    std::string body = R"({"Responses":{"table":[)";
    constexpr std::size_t items = 42;
    for (std::size_t i = 0; i < items; ++i) body += (i == 0 ? R"({"s":{"S":")" : R"(,{"s":{"S":")") + text + "\"}}";
    CHECK(body.size() > 95'000'000);
    const auto answer = codec::decode_response(any_request(batch_get_item_request{}).index(), body + "]}}");
    REQUIRE(answer.has_value());
    CHECK(std::get<batch_get_item_response>(*answer).items.at("table").size() == items);
}

TEST_CASE("a body larger than any the service sends is refused unread") {
    const auto answer = codec::decode_response(get_item, std::string(codec::longest_answer(get_item) + 1, ' '));
    REQUIRE(answer.has_error());
    CHECK_THAT(answer.error().details.message, Catch::Contains("32 MB"));
}

TEST_CASE("more values than items can have in so many bytes are refused, whatever they are the values of") {
    const auto message_of = [](const std::string& body) {
        const auto answer = codec::decode_response(get_item, body);
        return answer.has_value() ? std::string() : answer.error().details.message;
    };
    const auto zeros = R"({"New":[)" + repeated("0,", 5'000'000) + "0]}";
    CHECK_THAT(message_of(zeros), Catch::Contains("more than") && Catch::Contains("values"));
    CHECK(codec::decode_error(400, zeros).failure.code == errc::bad_response);
    CHECK(message_of(R"({"Item":{"a":{"L":[)" + repeated(R"({"S":""},)", 399'999) + R"({"S":""}]}}})").empty());
}

TEST_CASE("what the service may add is ignored") {
    const auto answer = codec::decode_response(
        get_item, R"( {"New":{"deep":[1,{"x":null}]},"Item":{"a":{"S":"é"}},"ConsumedCapacity":null} )");
    REQUIRE(answer.has_value());
    CHECK(std::get<get_item_response>(*answer).found == item{{"a", "é"}});
    CHECK(codec::decode_response(get_item, item_with(nested(120))).has_value());
}

TEST_CASE("the server says of a malformed request whether its JSON or its content is wrong, in the service's words") {
    const auto [operation, body, name, message] = GENERATE(table<std::string, std::string, std::string, std::string>({
        {"GetItem", "", "SerializationException", ""},
        {"GetItem", "{", "SerializationException", ""},
        {"PutItem", R"({"TableName":"ttt","Item":{"a":{"B":"Zg="}}})", "SerializationException",
         "Base64 encoded length is expected a multiple of 4 bytes but found: 3"},
        {"PutItem", R"({"Item":{"a":{"B":"Zh=="}}})", "SerializationException",
         "Invalid last non-pad Base64 character dectected"},
        {"BatchGetItem", R"({"RequestItems":{"ttt":{"Keys":["x"]}}})", "SerializationException",
         "ParameterizedTypeImpl cannot be cast to class java.lang.Class"},
        {"GetItem", "null", "SerializationException", ""},
        {"GetItem", R"({"TableName":1,"Key":{}})", "SerializationException",
         "NUMBER_VALUE cannot be converted to String"},
        {"GetItem", R"({"TableName":["t"],"Key":{}})", "SerializationException",
         "Unrecognized collection type class java.lang.String"},
        {"GetItem", R"({"TableName":"ttt","Key":{"pk":{"S":1}}})", "SerializationException",
         "NUMBER_VALUE cannot be converted to String"},
        {"GetItem", R"({"TableName":"ttt","Key":{"pk":"x"}})", "SerializationException",
         "Unexpected value type in payload"},
        {"GetItem", R"({"TableName":"ttt","Key":[]})", "SerializationException",
         "Unrecognized collection type java.util.Map<java.lang.String, "
         "com.amazonaws.dynamodb.v20120810.AttributeValue>"},
        {"GetItem", R"({"TableName":"ttt","Key":{},"ConsistentRead":"hi"})", "SerializationException",
         "Unexpected token received from parser"},
        {"GetItem", R"({"Key":{}})", "ValidationException",
         "1 validation error detected: Value null at 'tableName' failed to satisfy constraint: Member must not be "
         "null"},
        {"GetItem", R"({"TableName":"a;"})", "ValidationException",
         "2 validation errors detected: Value 'a;' at 'tableName' failed to satisfy constraint: Member must satisfy "
         "regular expression pattern: [a-zA-Z0-9_.-]+; Value null at 'key' failed to satisfy constraint: Member must "
         "not be null"},
        {"GetItem", R"({"TableName":"","Key":{}})", "ValidationException",
         "1 validation error detected: Value '' at 'tableName' failed to satisfy constraint: Member must have length "
         "greater than or equal to 1"},
        {"Query", R"({"TableName":"ttt","IndexName":""})", "ValidationException",
         "2 validation errors detected: Value '' at 'indexName' failed to satisfy constraint: Member must satisfy "
         "regular expression pattern: [a-zA-Z0-9_.-]+; Value '' at 'indexName' failed to satisfy constraint: Member "
         "must have length greater than or equal to 3"},
        {"GetItem", R"({"TableName":"ttt","Key":{"pk":{"N":"x"}}})", "ValidationException",
         "The parameter cannot be converted to a numeric value: x"},
        {"GetItem", R"({"TableName":"ttt","Key":{},"AttributesToGet":["a"],"ProjectionExpression":"a"})",
         "ValidationException",
         "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: "
         "{AttributesToGet} Expression parameters: {ProjectionExpression}"},
        {"GetItem", R"({"TableName":"ttt","Key":{},"AttributesToGet":["a","a"]})", "ValidationException",
         "One or more parameter values were invalid: Duplicate value in attribute name: a"},
        {"GetItem", R"({"TableName":"ttt","Key":{},"ExpressionAttributeNames":{"#a":"a"}})", "ValidationException",
         "ExpressionAttributeNames can only be specified when using expressions"},
        {"GetItem", R"({"TableName":"ttt","Key":{},"ProjectionExpression":"a","ExpressionAttributeNames":{"a":"a"}})",
         "ValidationException", "ExpressionAttributeNames contains invalid key: Syntax error; key: \"a\""},
        {"BatchGetItem", R"({"RequestItems":{"bad!":{"Keys":[{"pk":{"S":"a"}}]}},"ReturnConsumedCapacity":"x"})",
         "ValidationException",
         R"(2 validation errors detected: Value '{"bad!":{"Keys":[{"pk":{"S":"a"}}]}}' at 'requestItems' failed to )"
         "satisfy constraint: Map keys must satisfy constraint: [Member must have length less than or equal to 255, "
         "Member must have length greater than or equal to 3, Member must satisfy regular expression pattern: "
         "[a-zA-Z0-9_.-]+]; Value 'x' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy "
         "enum value set: [INDEXES, TOTAL, NONE]"},
        {"BatchWriteItem",
         R"({"RequestItems":{"bad!":[{"PutRequest":{"Item":{"pk":{"S":"a"}}}}]},"ReturnConsumedCapacity":"x"})",
         "ValidationException",
         "1 validation error detected: Value 'x' at 'returnConsumedCapacity' failed to satisfy constraint: Member must "
         "satisfy enum value set: [INDEXES, TOTAL, NONE]"},
        {"BatchWriteItem", R"({"RequestItems":{"bad!":[{"PutRequest":{"Item":{"pk":{"S":"a"}}}}]}})",
         "ValidationException", "1 validation error detected: Value '{bad!=[WriteRequest("},
        {"Scan", R"({"TableName":"ttt","Limit":-1e30})", "ValidationException",
         "1 validation error detected: Value '-9223372036854775808' at 'limit' failed to satisfy constraint: Member "
         "must have value greater than or equal to 1"},
        {"PutItem", R"({"TableName":"ttt","Item":{},"ExpressionAttributeValues":{":a":{"S":"a"}}})",
         "ValidationException",
         "ExpressionAttributeValues can only be specified when using expressions: ConditionExpression is null"},
        {"PutItem", R"({"TableName":"ttt","Item":{},"ConditionExpression":"a","ExpressionAttributeValues":{":b":{}}})",
         "ValidationException",
         "ExpressionAttributeValues contains invalid value: Supplied AttributeValue is empty, must contain exactly one "
         "of the supported datatypes for key :b"},
        {"PutItem", R"({"TableName":"ttt","Item":{},"ReturnValues":"all"})", "ValidationException",
         "Value 'all' at 'returnValues' failed to satisfy constraint: Member must satisfy enum value set: [ALL_NEW, "
         "UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]"},
        {"PutItem", R"({"TableName":"ttt","Item":{"s":{"NS":[]}}})", "ValidationException",
         "An number set  may not be empty"},
        {"PutItem", R"({"TableName":"ttt","Item":{},"Expected":{"a":{}}})", "ValidationException",
         "Value must be provided when Exists is null for Attribute: a"},
        {"UpdateItem", R"({"TableName":"ttt","Key":{},"AttributeUpdates":{"a":{"Action":"PUT"}}})",
         "ValidationException", "Only DELETE action is allowed when no attribute value is specified"},
        {"Query", R"({"TableName":"ttt","KeyConditionExpression":"x","Limit":0})", "ValidationException",
         "Value at 'Limit' failed to satisfy constraint: Member must have value greater than or equal to 1"},
        {"Query", R"({"TableName":"ttt","KeyConditionExpression":"x","Limit":"1"})", "SerializationException",
         "STRING_VALUE cannot be converted to Integer"},
        {"Query", R"({"TableName":"ttt","KeyConditions":{}})", "ValidationException",
         "Conditions can be of length 1 or 2 only"},
        {"CreateTable",
         R"({"TableName":"ttt","AttributeDefinitions":[],"KeySchema":[{"AttributeName":"a","KeyType":"HASH"},)"
         R"({"AttributeName":"b","KeyType":"RANGE"},{"AttributeName":"c","KeyType":"RANGE"}]})",
         "ValidationException",
         "Value '[KeySchemaElement(attributeName=a, keyType=HASH), KeySchemaElement(attributeName=b, keyType=RANGE), "
         "KeySchemaElement(attributeName=c, keyType=RANGE)]' at 'keySchema'"},
        {"CreateTable", R"({"TableName":"tt"})", "ValidationException", "Value 'tt' at 'tableName'"},
        {"ListTagsOfResource", "{}", "ValidationException", "Invalid TableArn"},
        {"ListTagsOfResource", R"({"ResourceArn":"a:b"})", "AccessDeniedException",
         "is not authorized to perform: dynamodb:ListTagsOfResource on resource: a:b"},
        {"Query", R"({"TableName":"ttt","ExclusiveStartKey":{"a":{}}})", "ValidationException",
         "The provided starting key is invalid: Supplied AttributeValue is empty"},
        {"PutItem", R"({"TableName":"ttt","Item":{"a":{"S":"x","N":""}}})", "ValidationException",
         "The parameter cannot be converted to a numeric value"},
        {"BatchWriteItem", R"({"RequestItems":{"ttt":[]}})", "ValidationException",
         "Map value must satisfy constraint: [Member must have length less than or equal to 25, Member must have "
         "length greater than or equal to 1]"},
        {"TransactWriteItems", R"({"TransactItems":[{}]})", "ValidationException",
         "TransactItems can only contain one of Check, Put, Update or Delete"},
        {"Query", R"({"TableName":"ttt","KeyConditions":{"pk":null}})", "ValidationException",
         "Value null at 'keyConditions.pk.member' failed to satisfy constraint: Member must not be null"},
        {"PutItem", R"({"TableName":"ttt","Item":{},"Expected":{"a":null}})", "ValidationException",
         "Value null at 'expected.a.member'"},
        {"UpdateItem", R"({"TableName":"ttt","Key":{},"AttributeUpdates":{"a":null}})", "ValidationException",
         "Value null at 'attributeUpdates.a.member'"},
        {"BatchGetItem", R"({"RequestItems":{"ttt":null}})", "ValidationException",
         "Value null at 'requestItems.ttt.member'"},
        {"BatchWriteItem", R"({"RequestItems":{"ttt":[null]}})", "ValidationException", "Member must not be null"},
        {"BatchWriteItem", R"({"RequestItems":{"ttt":null}})", "ValidationException", "Map value must satisfy"},
        {"GetItem", R"({"TableName":"ttt","Key":{"pk":null}})", "SerializationException", "expected an object"},
        {"UpdateTable", R"({"TableName":"ttt","GlobalSecondaryIndexUpdates":[null]})", "ValidationException",
         "Value null at 'globalSecondaryIndexUpdates.1.member'"},
        {"TransactWriteItems", R"({"TransactItems":[{"Put":{"TableName":"ttt"}}]})", "ValidationException",
         "Value null at 'transactItems.1.member.put.item' failed to satisfy constraint: Member must not be null"},
        {"DescribeTable", "{}", "ValidationException",
         "The parameter 'TableName' is required but was not present in the request"},
        {"DescribeTable", R"({"TableName":"ab"})", "ValidationException",
         "TableName must be at least 3 characters long and at most 255 characters long"},
        {"GetItems", "{}", "UnknownOperationException", ""},
        {"", "{}", "UnknownOperationException", ""},
    }));
    INFO(operation << " " << body);
    const auto request = codec::decode_request(operation, body);
    REQUIRE(request.has_error());
    const auto answer = codec::encode_error(request.error());
    CHECK(answer.status == 400);
    CHECK(codec::decode_error(answer.status, answer.body).exception == name);
    CHECK_THAT(request.error().details.message, Catch::Contains(message));
}

TEST_CASE("a parameter that an operation does not have is ignored, whatever it is") {
    const auto older = GENERATE(as<std::string>{}, R"(["n"])", "7", R"("n")", R"({"n":1})", "[7]");
    const auto request = codec::decode_request(
        "TransactGetItems",
        R"({"TransactItems":[{"Get":{"TableName":"ttt","Key":{"pk":{"S":"k"}},"AttributesToGet":)" + older + "}}]}");
    REQUIRE(request.has_value());
    CHECK(std::get<transact_get_items_request>(*request).gets.at(0).projection_expression.empty());
    const auto answer = codec::decode_response(
        any_request(batch_get_item_request{}).index(),
        R"({"Responses":{},"UnprocessedKeys":{"ttt":{"Keys":[{"pk":{"S":"k"}}],"AttributesToGet":)" + older + "}}}");
    REQUIRE(answer.has_value());
    CHECK(std::get<batch_get_item_response>(*answer).unprocessed.at("ttt").projection_expression.empty());
}

}  // namespace dynalease
