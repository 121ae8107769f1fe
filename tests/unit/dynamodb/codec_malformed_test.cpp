// Bodies that are not what they should be: each a clear error, on both sides.
#include "dynamodb/codec.hpp"

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
        {item_with("{}"), "Item.a: an attribute value must have exactly one type"},
        {item_with(R"({"S":"x","N":"1"})"), "exactly one type"},
        {item_with(R"({"S":"x","S":"y"})"), "exactly one type"},
        {item_with(R"({"X":"x"})"), "Item.a: there is no type \"X\""},
        {item_with(R"({"s":"x"})"), "there is no type \"s\""},
        {item_with(R"({"S":1})"), "Item.a: expected a string"},
        {item_with(R"({"S":null})"), "expected a string"},
        {item_with(R"({"N":1})"), "expected a string"},
        {item_with(R"({"N":""})"), "not a decimal number"},
        {item_with(R"({"N":"one"})"), "not a decimal number"},
        {item_with(R"({"N":"1.0e100000000"})"), "beyond 9.99E+125"},
        {item_with(R"({"N":"123456789012345678901234567890123456789"})"), "more than 38"},
        {item_with(R"({"B":"Zg="})"), "expected base64"},
        {item_with(R"({"B":"Zh=="})"), "expected base64"},
        {item_with(R"({"BOOL":"true"})"), "expected true or false"},
        {item_with(R"({"NULL":false})"), "must be true"},
        {item_with(R"({"L":{}})"), "expected an array"},
        {item_with(R"({"M":[]})"), "expected an object"},
        {item_with(R"({"L":[{"S":"x"},{"M":{"b":{"N":"x"}}}]})"), "Item.a[].b: not a decimal number"},
        {item_with(R"({"SS":"x"})"), "expected an array"},
        {item_with(R"({"SS":[]})"), "a set may not be empty"},
        {item_with(R"({"SS":["x","x"]})"), "twice"},
        {item_with(R"({"NS":["1","1.0"]})"), "twice"},
        {item_with(R"({"BS":["Zg==","Zg=="]})"), "twice"},
        {item_with(R"({"NS":[1]})"), "expected a string"},
        {R"({"Item":{"a":{"S":"x"},"a":{"S":"y"}}})", "\"a\" occurs twice"},
        {R"({"Item":{"a":{"S":"\ud800"}}})", "no JSON"},
        {"{\"Item\":{\"a\":{\"S\":\"\xc3\x28\"}}}", "no JSON"},
        {"{\"Item\":{\"a\":{\"S\":\"\xff\"}}}", "no JSON"},
        {item_with(nested(33)), "more than 32 deep"},
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

TEST_CASE("a body larger than any the service sends is refused unread") {
    const auto answer = codec::decode_response(get_item, std::string(codec::max_body_size + 1, ' '));
    REQUIRE(answer.has_error());
    CHECK_THAT(answer.error().details.message, Catch::Contains("16 MB"));
}

TEST_CASE("what the service may add is ignored") {
    const auto answer = codec::decode_response(
        get_item, R"( {"New":{"deep":[1,{"x":null}]},"Item":{"a":{"S":"é"}},"ConsumedCapacity":null} )");
    REQUIRE(answer.has_value());
    CHECK(std::get<get_item_response>(*answer).found == item{{"a", "é"}});
    CHECK(codec::decode_response(get_item, item_with(nested(32))).has_value());
}

TEST_CASE("the server says of a malformed request whether its JSON or its content is wrong") {
    const auto [operation, body, name, message] = GENERATE(table<std::string, std::string, std::string, std::string>({
        {"GetItem", "", "SerializationException", "empty"},
        {"GetItem", "null", "SerializationException", "expected an object"},
        {"GetItem", R"({"TableName":1,"Key":{}})", "SerializationException", "TableName: expected a string"},
        {"GetItem", R"({"TableName":"t","Key":{"pk":{"S":1}}})", "SerializationException", "Key.pk: expected a string"},
        {"GetItem", R"({"TableName":"t","Key":{},"ConsistentRead":"true"})", "SerializationException",
         "ConsistentRead: expected true or false"},
        {"GetItem", R"({"Key":{}})", "ValidationException", "TableName: is missing"},
        {"GetItem", R"({"TableName":null,"Key":{}})", "ValidationException", "TableName: is missing"},
        {"GetItem", R"({"TableName":"t","Key":{"pk":{"N":"x"}}})", "ValidationException", "not a decimal number"},
        {"GetItem", R"({"TableName":"t","Key":{},"AttributesToGet":["a"]})", "ValidationException", "old API"},
        {"PutItem", R"({"TableName":"t","Item":{},"Expected":{}})", "ValidationException", "old API"},
        {"PutItem", R"({"TableName":"t","Item":{},"ReturnValues":"all"})", "ValidationException",
         "ReturnValues: has no value \"all\""},
        {"PutItem", R"({"TableName":"t","Item":{"s":{"SS":[]}}})", "ValidationException", "may not be empty"},
        {"Query", R"({"TableName":"t","KeyConditionExpression":"x","Limit":1.5})", "SerializationException",
         "Limit: expected an integer"},
        {"Query", R"({"TableName":"t","KeyConditionExpression":"x","Limit":3000000000})", "SerializationException",
         "Limit: expected an integer"},
        {"Query", R"({"TableName":"t","KeyConditionExpression":"x","Select":"ALL"})", "ValidationException", "Select"},
        {"TransactWriteItems", R"({"TransactItems":[{}]})", "ValidationException", "exactly one action"},
        {"TransactWriteItems",
         R"({"TransactItems":[{"Put":{"TableName":"t","Item":{}},"Delete":{"TableName":"t","Key":{}}}]})",
         "ValidationException", "TransactItems[]: must name exactly one action"},
        {"CreateTable", R"({"TableName":"t","AttributeDefinitions":[]})", "ValidationException", "no hash key"},
        {"CreateTable",
         R"({"TableName":"t","AttributeDefinitions":[],"KeySchema":[{"AttributeName":"k","KeyType":"HASH"}]})",
         "ValidationException", "does not define the key attribute \"k\""},
        {"CreateTable",
         R"({"TableName":"t","AttributeDefinitions":[],"KeySchema":[{"AttributeName":"k","KeyType":"RANGE"}]})",
         "ValidationException", "must be a HASH element"},
        {"GetItems", "{}", "UnknownOperationException", "no such operation"},
        {"", "{}", "UnknownOperationException", "no such operation"},
    }));
    INFO(operation << " " << body);
    const auto request = codec::decode_request(operation, body);
    REQUIRE(request.has_error());
    const auto answer = codec::encode_error(request.error());
    CHECK(answer.status == 400);
    CHECK(codec::decode_error(answer.status, answer.body).exception == name);
    CHECK_THAT(request.error().details.message, Catch::Contains(message));
}

}  // namespace dynalease
