// Which parameters of a request go together.
#include "dynamodb/legacy_parameters.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>

namespace dynalease::codec {

namespace {

struct parameters {
    std::string_view operation;
    std::array<std::string_view, 3> expressions;  ///< those with values first
    std::size_t with_values;                      ///< how many of the expressions may have values
    std::array<std::string_view, 4> older;
};

constexpr std::array<parameters, 6> parameter_sets{{
    {"PutItem", {"ConditionExpression"}, 1, {"Expected", "ConditionalOperator"}},
    {"DeleteItem", {"ConditionExpression"}, 1, {"Expected", "ConditionalOperator"}},
    {"UpdateItem",
     {"UpdateExpression", "ConditionExpression"},
     2,
     {"AttributeUpdates", "Expected", "ConditionalOperator"}},
    {"GetItem", {"ProjectionExpression"}, 0, {"AttributesToGet"}},
    {"Query",
     {"FilterExpression", "KeyConditionExpression", "ProjectionExpression"},
     2,
     {"AttributesToGet", "QueryFilter", "ConditionalOperator", "KeyConditions"}},
    {"Scan", {"FilterExpression", "ProjectionExpression"}, 1, {"AttributesToGet", "ScanFilter", "ConditionalOperator"}},
}};

std::string present(json_input body, std::span<const std::string_view> names) {
    std::string text;
    for (const auto name : names) {
        if (!name.empty() && body.find(name)) text += (text.empty() ? "" : ", ") + std::string(name);
    }
    return text;
}

[[noreturn]] void refuse_mix(std::string what) {
    throw malformed{errc::validation, std::move(what)};
}

void check_values_have_use(json_input body, const parameters& of) {
    if (of.with_values == 0 || !body.find("ExpressionAttributeValues")) return;
    const auto takers = std::span(of.expressions).first(of.with_values);
    if (!present(body, takers).empty()) return;
    std::string names;
    for (const auto name : takers) names += (names.empty() ? "" : " and ") + std::string(name);
    refuse_mix("ExpressionAttributeValues can only be specified when using expressions: " + names +
               (takers.size() > 1 ? " are null" : " is null"));
}

void check_conditional_operator(json_input body) {
    if (!body.find("ConditionalOperator")) return;
    rapidjson::SizeType conditions = 0;
    for (const char* parameter : {"Expected", "QueryFilter", "ScanFilter"}) {
        if (const auto* found = body.find(parameter)) conditions += found->MemberCount();
    }
    constexpr const char* fault = "One or more parameter values were invalid: ConditionalOperator can";
    if (conditions == 0) refuse_mix(std::string(fault) + "not be used without Filter or Expected");
    if (conditions == 1)
        refuse_mix(std::string(fault) + " only be used when Filter or Expected has two or more elements");
}

}  // namespace

void check_parameter_mix(json_input body, std::string_view operation) {
    const auto found = std::ranges::find(parameter_sets, operation, &parameters::operation);
    if (found == parameter_sets.end()) return;
    const std::string expressions = present(body, found->expressions);
    auto older = found->older;
    // KeyConditions may stand beside a filter expression.
    if (operation == "Query" && !body.find("KeyConditionExpression")) older[3] = {};
    const std::string non_expressions = present(body, older);
    if (!expressions.empty() && !non_expressions.empty()) {
        refuse_mix(
            "Can not use both expression and non-expression parameters in the same request: Non-expression "
            "parameters: {" +
            non_expressions + "} Expression parameters: {" + expressions + "}");
    }
    if (expressions.empty() && body.find("ExpressionAttributeNames")) {
        refuse_mix("ExpressionAttributeNames can only be specified when using expressions");
    }
    check_values_have_use(body, *found);
    check_conditional_operator(body);
}

}  // namespace dynalease::codec
