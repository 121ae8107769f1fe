// Requests that end or deafen other servers: each is answered at once.
// SPDX-License-Identifier: BSL-1.0
#include "unit/local/engine_world.hpp"

#include "local/codec/server_codec.hpp"

#include <random>
#include <string>
#include <vector>

namespace dynalease::local::test {

namespace {

std::string repeated(std::string_view text, int times) {
    std::string result;
    for (int i = 0; i < times; ++i) result += text;
    return result;
}

std::string fault_of_condition(const std::string& condition, attribute_values values = {}) {
    engine_world world;
    return world.fault(update_of("", values, condition));
}

}  // namespace

TEST_CASE("parentheses without end are a fault of the request") {
    CHECK_THAT(fault_of_condition(repeated("(", 4096)), Catch::StartsWith("Invalid ConditionExpression: "));
    CHECK(fault_of_condition(repeated("(", 4097)) ==
          "Invalid ConditionExpression: Expression size has exceeded the maximum allowed size; expression size: 4097");
    CHECK_THAT(fault_of_condition(repeated("size(", 800)), Catch::StartsWith("Invalid ConditionExpression: "));
    CHECK_THAT(fault_of_condition(repeated("NOT ", 1000) + "a = :v"),
               Catch::StartsWith("Invalid ConditionExpression: "));
    engine_world world;
    CHECK(world.fault(update_of("SET a = " + repeated("(", 4089))) ==
          "Invalid UpdateExpression: Expression size has exceeded the maximum allowed size;");
    CHECK_THAT(world.fault(update_of("SET a = " + repeated("(", 4000))),
               Catch::StartsWith("Invalid UpdateExpression: "));
    CHECK_THAT(world.fault(update_of("SET a = " + repeated("if_not_exists(b,", 250))),
               Catch::StartsWith("Invalid UpdateExpression: "));
}

TEST_CASE("an alternation 149 deep is legal and quick") {
    const std::string condition = repeated("a<b or (", 149) + "attribute_not_exists(a)" + repeated(")", 149);
    CHECK(fault_of_condition(condition).empty());
}

TEST_CASE("operators are counted") {
    CHECK(fault_of_condition(repeated("a<b or ", 149) + "attribute_not_exists(a)").empty());
    CHECK_THAT(fault_of_condition(repeated("a<b or ", 300) + "attribute_not_exists(a)"),
               Catch::Contains("too many operators"));
    std::string operands = ":v";
    for (int i = 0; i < 100; ++i) operands += ",:v";
    CHECK_THAT(fault_of_condition("a IN (" + operands + ")", {{":v", 1}}), Catch::Contains("too many operands"));
}

TEST_CASE("a document path has an end") {
    CHECK_THAT(fault_of_condition("attribute_exists(" + repeated("a.", 100) + "a)"), Catch::Contains("nesting"));
}

TEST_CASE("no text makes the parser do anything but answer") {
    const std::vector<std::string_view> pieces{"(",
                                               ")",
                                               "[",
                                               "]",
                                               ",",
                                               ".",
                                               "=",
                                               "<",
                                               ">",
                                               "<>",
                                               "+",
                                               "-",
                                               "#n",
                                               ":v",
                                               "#",
                                               ":",
                                               "a",
                                               "b.c",
                                               "[0]",
                                               "AND",
                                               "OR",
                                               "NOT",
                                               "BETWEEN",
                                               "IN",
                                               "SET",
                                               "REMOVE",
                                               "ADD",
                                               "DELETE",
                                               "size(",
                                               "contains(",
                                               "attribute_exists(",
                                               "if_not_exists(",
                                               "list_append(",
                                               " ",
                                               "1",
                                               "99999999999999999999",
                                               "\xff",
                                               std::string_view("\0", 1),
                                               "'",
                                               "\""};
    std::mt19937 chance(11);
    engine_world world;
    for (int round = 0; round < 20'000; ++round) {
        std::string text;
        const auto length = 1 + chance() % 14;
        for (unsigned i = 0; i < length; ++i) text += std::string(pieces[chance() % pieces.size()]) + " ";
        auto request = round % 2 == 0 ? update_of(text) : update_of("", {}, text);
        if (text.find("#n") != std::string::npos) request.names = {{"#n", "name"}};
        if (text.find(":v") != std::string::npos) request.values = {{":v", 1}};
        const auto answer = world.execute(request);
        if (!answer) CHECK_FALSE(answer.error().details.message.empty());
    }
}

TEST_CASE("bodies that are no requests") {
    CHECK_FALSE(codec::decode_request("PutItem", "null"));
    CHECK_FALSE(codec::decode_request("PutItem", "[]"));
    CHECK_FALSE(codec::decode_request("PutItem", ""));
    CHECK_FALSE(codec::decode_request("PutItem", R"({"TableName":"things","Item":{"pk":{"N":"1.0e100000000"}}})"));
    CHECK_FALSE(number::parse("1.0e100000000"));
    CHECK_FALSE(number::parse("1.0e-100000000"));
}

}  // namespace dynalease::local::test
