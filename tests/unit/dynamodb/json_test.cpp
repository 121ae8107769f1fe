// Items as the JSON of DynamoDB's tools.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/dynamodb/item.hpp>
#include <dynalease/dynamodb/json.hpp>
#include <dynalease/error.hpp>

#include "random_values.hpp"

#include <catch2/catch.hpp>

#include <sstream>
#include <string>

namespace dynalease::test {

namespace {

std::string refusal(std::string_view text) {
    try {
        item_from_json(text);
    } catch (const error& why) {
        CHECK(why.code() == errc::bad_attribute);
        CHECK(why.diagnostics().operation == "item_from_json");
        return why.diagnostics().message;
    }
    return "it was taken";
}

}  // namespace

TEST_CASE("an item is written as DynamoDB's tools do, attributes by their names") {
    const item book{
        {"title", "a \"b\"\n"}, {"isbn", "42"},
        {"pages", 7},           {"tags", string_set{"y", "x"}},
        {"gone", null{}},       {"in", attribute_map{{"list", attribute_list{true, binary{std::byte{1}}}}}}};
    const std::string text =
        R"({"gone":{"NULL":true},"in":{"M":{"list":{"L":[{"BOOL":true},{"B":"AQ=="}]}}},"isbn":{"S":"42"},)"
        R"("pages":{"N":"7"},"tags":{"SS":["x","y"]},"title":{"S":"a \"b\"\n"}})";
    CHECK(to_json(book) == text);
    CHECK(item_from_json(text) == book);
    CHECK(to_json(item{}) == "{}");
    CHECK(item_from_json(" { } ").empty());
    CHECK(to_json(attribute_value("x")) == R"({"S":"x"})");
    std::ostringstream log;
    log << book.at("pages") << ' ' << item_key{{"isbn", "42"}};
    CHECK(log.str() == R"({"N":"7"} {"isbn":{"S":"42"}})");
}

TEST_CASE("what was written is read back, whatever it is") {
    random_values values(4711);
    for (int i = 0; i < 300; ++i) {
        const item made = values.members();
        CHECK(item_from_json(to_json(made)) == made);
    }
}

TEST_CASE("what is no item as JSON is told by its place") {
    CHECK_THAT(refusal(R"({"a":{"S":7}})"), Catch::Contains("a"));
    CHECK_THAT(refusal(R"({"a":{"L":[{"S":"x"},{"X":"y"}]}})"), Catch::Contains("a"));
    CHECK_THAT(refusal(R"({"a":{"N":"many"}})"), Catch::Contains("many"));
    for (const char* text : {"", "null", "[]", "7", "{", R"({"a":"x"})", R"({"a":{"S":"x"}}x)", "\xff"}) {
        INFO(text);
        CHECK_FALSE(refusal(text).empty());
        CHECK(refusal(text) != "it was taken");
    }
    std::string deep = R"({"S":"x"})";
    for (int i = 0; i < 10'000; ++i) deep = R"({"L":[)" + deep + "]}";
    CHECK(refusal(R"({"a":)" + deep + "}") != "it was taken");
}

}  // namespace dynalease::test
