// The lists of known differences: each excuses what it says, and not a fault of ours that looks like it.
// SPDX-License-Identifier: BSL-1.0
#include "conformance/known_differences.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <utility>

namespace dynalease::conformance {

namespace {

answer answered(const std::string& body) {
    return {false, parse_json(body).value()};
}

answer refused(const std::string& error, const std::string& message) {
    answer out{true, json{json::kind::object, false, {}, {}, {}}};
    out.body.members["__type"] = json::of(error);
    out.body.members["message"] = json::of(message);
    return out;
}

answer malformed(const std::string& message) {
    return refused("ValidationException", message);
}

/// Whether every difference of the two answers is listed.
bool is_excused(const call& what, const answer& ours, const answer& theirs) {
    const auto found = compare(what, ours, theirs);
    REQUIRE_FALSE(found.empty());
    for (const auto& each : found) {
        if (!find_known("dynoxide", each)) return false;
    }
    return true;
}

call update(const std::string& expression, const std::string& condition = {}, attribute_values values = {}) {
    update_item_request request;
    request.table_name = "things";
    request.key = {{"pk", "a"}};
    request.update_expression = expression;
    request.condition_expression = condition;
    request.values = std::move(values);
    return {request};
}

}  // namespace

TEST_CASE("an expression that is refused unread has the fault that is told") {
    const answer passed = answered("{}");
    const auto condition = [](const std::string& text, attribute_values values = {}) {
        return update("SET a = :v", text, std::move(values));
    };
    const auto refusal = [](const std::string& words) { return malformed("Invalid ConditionExpression: " + words); };

    const auto undefined = refusal(
        "An expression attribute value used in expression is not defined; attribute value: :v");
    CHECK(is_excused(condition("a = :v"), undefined, passed));
    CHECK_FALSE(is_excused(condition("a = :v", {{":v", 1}}), undefined, passed));

    const std::string type = "Incorrect operand type for operator or function; operator or function: ";
    CHECK(is_excused(condition("a < :v"), refusal(type + "<, operand type: M"), passed));
    CHECK_FALSE(is_excused(condition("a < :v"), refusal(type + "<, operand type: N"), passed));
    CHECK_FALSE(is_excused(condition("contains(a, :v)"), refusal(type + "contains, operand type: M"), passed));

    const std::string meet = "with each other; must remove or rewrite one of these paths; path one: ";
    CHECK(is_excused(condition(""), refusal("Two document paths overlap " + meet + "[a], path two: [a, b]"), passed));
    for (const std::string how : {"overlap ", "conflict "}) {
        const auto apart = refusal("Two document paths " + how + meet + "[a, b], path two: [a, c]");
        CHECK_FALSE(is_excused(condition(""), apart, passed));
    }

    const std::string between =
        "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; ";
    const auto bounds = [&](const std::string& low, const std::string& high) {
        return refusal(between + "lower bound operand: AttributeValue: {N:" + low +
                       "}, upper bound operand: AttributeValue: {N:" + high + "}");
    };
    CHECK(is_excused(condition("a BETWEEN :v AND :w"), bounds("10", "9"), passed));
    CHECK_FALSE(is_excused(condition("a BETWEEN :v AND :w"), bounds("9", "10"), passed));

    const auto distinct = refusal(
        "The first operand must be distinct from the remaining operands for this operator or function; operator: =, "
        "first operand: [a]");
    CHECK(is_excused(condition("a = a"), distinct, passed));
    CHECK_FALSE(is_excused(update("SET b = :v", "a = b"), distinct, passed));
    CHECK_FALSE(is_excused(condition("a = :v"), refusal("Syntax error; token: \"a\""), passed));
}

TEST_CASE("of a transaction's items only what a projection leaves open is excused") {
    transact_get_items_request request;
    request.gets = {{.table_name = "things", .key = {{"pk", "a"}}}};
    const auto answers = [](const std::string& item) { return answered(R"({"Responses":[)" + item + "]}"); };
    const auto whole = answers(R"({"Item":{"pk":{"S":"a"},"n":{"N":"1"}}})");
    const auto keys = answers(R"({"Item":{"pk":{"S":"a"}}})");
    const auto none = answers("{}");
    CHECK_FALSE(is_excused({request}, none, keys));
    request.gets.front().projection_expression = "n";
    CHECK(is_excused({request}, none, keys));
    CHECK_FALSE(is_excused({request}, none, whole));
    CHECK_FALSE(is_excused({request}, whole, answers(R"({"Item":{"pk":{"S":"a"},"n":{"N":"2"}}})")));
}

TEST_CASE("a query that starts behind an item may find others of its key, and no more") {
    query_request request;
    request.table_name = "things";
    request.index_name = "by-s1";
    request.key_condition_expression = "s1 = :v";
    request.values = {{":v", "x"}};
    request.exclusive_start_key = {{"pk", "a"}, {"s1", "x"}, {"n1", 1}};
    const auto page = [](const std::string& items, int count) {
        const auto n = std::to_string(count);
        return answered(R"({"Items":[)" + items + R"(],"Count":)" + n + R"(,"ScannedCount":)" + n + "}");
    };
    const std::string beside = R"({"pk":{"S":"b"},"s1":{"S":"x"},"n1":{"N":"1"}})";
    const std::string behind = R"({"pk":{"S":"c"},"s1":{"S":"x"},"n1":{"N":"2"}})";
    CHECK(is_excused({request}, page(behind, 1), page(beside + "," + behind, 2)));
    CHECK_FALSE(is_excused({request}, page(beside, 1), page(beside + "," + behind, 2)));
}

TEST_CASE("a query of a hash key alone finds its item once") {
    query_request request;
    request.table_name = "things";
    request.key_condition_expression = "pk = :v";
    request.values = {{":v", "a"}};
    request.exclusive_start_key = {{"pk", "a"}};
    const std::string item = R"({"pk":{"S":"a"}})";
    const auto page = [](const std::string& items, int count) {
        const auto n = std::to_string(count);
        return answered(R"({"Items":[)" + items + R"(],"Count":)" + n + R"(,"ScannedCount":)" + n + "}");
    };
    CHECK(is_excused({request}, page("", 0), page(item, 1)));
    CHECK_FALSE(is_excused({request}, page(item, 1), page("", 0)));
    CHECK_FALSE(is_excused({request}, page("", 0), page(item + R"(,{"pk":{"S":"b"}})", 2)));
}

}  // namespace dynalease::conformance
