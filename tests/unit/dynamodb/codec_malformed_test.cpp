// Answers that are not what they should be: each a clear error.
// SPDX-License-Identifier: BSL-1.0
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

TEST_CASE("an older parameter beside the keys that are given back is ignored, whatever it is") {
    const auto older = GENERATE(as<std::string>{}, R"(["n"])", "7", R"("n")", R"({"n":1})", "[7]");
    const auto answer = codec::decode_response(
        any_request(batch_get_item_request{}).index(),
        R"({"Responses":{},"UnprocessedKeys":{"ttt":{"Keys":[{"pk":{"S":"k"}}],"AttributesToGet":)" + older + "}}}");
    REQUIRE(answer.has_value());
    CHECK(std::get<batch_get_item_response>(*answer).unprocessed.at("ttt").projection_expression.empty());
}

}  // namespace dynalease
