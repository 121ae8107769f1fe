// Placeholders: undefined, unused, reserved words, and operands that make no sense.
// SPDX-License-Identifier: BSL-1.0
#include "unit/local/engine_world.hpp"

#include <vector>

namespace dynalease::local::test {

namespace {

put_item_request conditional(std::string condition, attribute_names names = {}, attribute_values values = {}) {
    put_item_request request;
    request.table_name = "things";
    request.new_item = {{"pk", "a"}};
    request.condition_expression = std::move(condition);
    request.names = std::move(names);
    request.values = std::move(values);
    return request;
}

}  // namespace

TEST_CASE("placeholders must be defined and used") {
    engine_world world;
    CHECK(world.fault(conditional("#x = :v", {}, {{":v", 1}})) ==
          "Invalid ConditionExpression: An expression attribute name used in the document path is not defined; "
          "attribute name: #x");
    CHECK(world.fault(conditional("x = :v")) ==
          "Invalid ConditionExpression: An expression attribute value used in expression is not defined; attribute "
          "value: :v");
    CHECK(world.fault(conditional("x = :v", {}, {{":v", 1}, {":w", 2}, {":u", 3}})) ==
          "Value provided in ExpressionAttributeValues unused in expressions: keys: {:u, :w}");
    CHECK(world.fault(conditional("#x = :v", {{"#x", ""}}, {{":v", 1}})) ==
          "ExpressionAttributeNames contains invalid value: Empty attribute name for key #x");
    CHECK(world.fault(conditional("x = :v", {{"#x", "x"}}, {{":v", 1}})) ==
          "Value provided in ExpressionAttributeNames unused in expressions: keys: {#x}");
    CHECK(world.fault(conditional("", {{"#x", "x"}}, {})) ==
          "ExpressionAttributeNames can only be specified when using expressions");
    CHECK(world.fault(conditional("", {}, {{":v", 1}})) ==
          "ExpressionAttributeValues can only be specified when using expressions");
}

TEST_CASE("a placeholder used in one expression of two is used") {
    engine_world world;
    auto request = update_of("SET #n = :v", {{":v", 1}}, "attribute_not_exists(#k)");
    request.names = {{"#n", "n"}, {"#k", "pk"}};
    CHECK(world.fault(request).empty());
    CHECK(world.get({{"pk", "a"}}) == item{{"pk", "a"}, {"n", 1}});
}

TEST_CASE("a name behind a placeholder may be anything, and a dot in it is no path") {
    engine_world world;
    auto request = update_of("SET #a = :v, #b = :v", {{":v", 1}});
    request.names = {{"#a", "a.b[0]"}, {"#b", "status"}};
    CHECK(world.fault(request).empty());
    CHECK(world.get({{"pk", "a"}}) == item{{"pk", "a"}, {"a.b[0]", 1}, {"status", 1}});
}

TEST_CASE("what no item could satisfy is refused before any item is looked at") {
    const attribute_values values{{":1", 1},    {":2", 2},   {":s", "s"},      {":m", attribute_map{}},
                                  {":t", true}, {":X", "X"}, {":null", null{}}};
    const std::vector<std::pair<const char*, const char*>> rows{
        {"a < :m", "Incorrect operand type for operator or function; operator or function: <, operand type: M"},
        {"a >= :t", "operator or function: >=, operand type: BOOL"},
        {"a BETWEEN :2 AND :1", "The BETWEEN operator requires upper bound to be greater than or equal to lower bound"},
        {"a BETWEEN :1 AND :s", "The BETWEEN operator requires same data type for lower and upper bounds"},
        {"a BETWEEN :null AND :1", "operator or function: BETWEEN, operand type: NULL"},
        {"begins_with(a, :1)", "operator or function: begins_with, operand type: N"},
        {"attribute_type(a, :X)", "Invalid attribute type name found; type: X"},
        {"attribute_type(a, :1)", "operator or function: attribute_type, operand type: N"},
        {"attribute_exists(:1)", "Operator or function requires a document path"},
        {"size(:1) = :2", "operator or function: size, operand type: N"},
        {"a = a", "The first operand must be distinct from the remaining operands"},
        {"a.b IN (:1, a.b)", "The first operand must be distinct from the remaining operands"},
        {"contains(a)", "Incorrect number of operands for operator or function"},
        {"exists(a)", "Invalid function name; function: exists"},
        {"if_not_exists(a, :1) = :1", "The function is not allowed in a condition expression; function: if_not_exists"},
        {"contains(a, :s) = :1",
         "The function is not allowed to be used this way in an expression; function: contains"},
        {"size(a)", "The function is not allowed to be used this way in an expression; function: size"},
        {"attribute_type(a, size(b))", "operator or function: attribute_type, operand type: N"},
        {"_a = :1", "Syntax error; token: \"_\""},
        {"a = a AND b = :gone", "The first operand must be distinct from the remaining operands"},
        {"b = :gone AND a = a", "An expression attribute value used in expression is not defined"},
        {"contains(a) AND ((b = :1))", "The expression has redundant parentheses"},
        {"zone = :1 AND exists(a)", "Invalid function name; function: exists"},
        {"a", "Syntax error; token: \"<EOF>\""},
        {"a = :1 AND", "Syntax error; token: \"<EOF>\""},
        {"a == :1", "Syntax error; token: \"=\", near: \"== :1\""},
        {"a = :1 b", "Syntax error; token: \"b\""},
        {"((a = :1))", "The expression has redundant parentheses"},
        {"a = :1)", "Syntax error; token: \")\""},
        {"a ? :1", "Syntax error; token: \"?\""},
        {"a = :", "Syntax error; token: \":\""},
        {"a..b = :1", "Syntax error"},
        {"a[-1] = :1", "Syntax error"},
        {"AND = :1", "Syntax error; token: \"AND\""},
        {"a = between", "Syntax error; token: \"between\""},
        {"a.zone = :1", "Attribute name is a reserved keyword; reserved keyword: zone"},
        {"   ", "The expression can not be empty"},
    };
    for (const auto& [condition, words] : rows) {
        INFO(condition);
        engine_world world;
        const auto answer = world.execute(conditional(condition, {}, used(values, condition)));
        REQUIRE_FALSE(answer);
        CHECK(answer.error().code == errc::validation);
        CHECK_THAT(answer.error().details.message,
                   Catch::StartsWith("Invalid ConditionExpression: ") && Catch::Contains(words));
    }
}

}  // namespace dynalease::local::test
