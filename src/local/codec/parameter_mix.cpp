// Which parameters of a request go together.
// SPDX-License-Identifier: BSL-1.0
#include "local/codec/legacy_parameters.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>

namespace dynalease::codec {

namespace {

struct parameters {
    std::string_view operation;
    std::array<std::string_view, 3> expressions;
    std::array<std::string_view, 2> with_values;  ///< those of the expressions that may have values
    std::array<std::string_view, 4> older;
};

constexpr std::array<parameters, 7> parameter_sets{{
    {"PutItem", {"ConditionExpression"}, {"ConditionExpression"}, {"Expected", "ConditionalOperator"}},
    {"DeleteItem", {"ConditionExpression"}, {"ConditionExpression"}, {"Expected", "ConditionalOperator"}},
    {"UpdateItem",
     {"UpdateExpression", "ConditionExpression"},
     {"UpdateExpression", "ConditionExpression"},
     {"AttributeUpdates", "Expected", "ConditionalOperator"}},
    {"GetItem", {"ProjectionExpression"}, {}, {"AttributesToGet"}},
    {"BatchGetItem", {"ProjectionExpression"}, {}, {"AttributesToGet"}},
    {"Query",
     {"ProjectionExpression", "FilterExpression", "KeyConditionExpression"},
     {"FilterExpression", "KeyConditionExpression"},
     {"AttributesToGet", "QueryFilter", "ConditionalOperator", "KeyConditions"}},
    {"Scan",
     {"ProjectionExpression", "FilterExpression"},
     {"FilterExpression"},
     {"AttributesToGet", "ScanFilter", "ConditionalOperator"}},
}};

bool any_present(json_input body, std::span<const std::string_view> names) {
    return std::ranges::any_of(names, [&](std::string_view name) { return !name.empty() && body.find(name); });
}

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

[[noreturn]] void refuse_both(const std::string& non_expressions, const std::string& expressions) {
    refuse_mix(
        "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {" +
        non_expressions + "} Expression parameters: {" + expressions + "}");
}

void check_values_have_use(json_input body, const parameters& of) {
    const auto& [first, second] = of.with_values;
    if (first.empty() || !body.find("ExpressionAttributeValues")) return;
    if (any_present(body, of.with_values)) return;
    const std::string names = std::string(first) + (second.empty() ? "" : " and ") + std::string(second);
    refuse_mix("ExpressionAttributeValues can only be specified when using expressions: " + names +
               (second.empty() ? " is null" : " are null"));
}

void check_conditional_operator(json_input body) {
    if (!body.find("ConditionalOperator")) return;
    rapidjson::SizeType conditions = 0;
    for (const char* parameter : {"Expected", "QueryFilter", "ScanFilter"}) {
        if (const auto* found = body.find(parameter)) conditions += found->MemberCount();
    }
    if (conditions == 0) refuse_mix("ConditionalOperator cannot be used without Filter or Expected");
    if (conditions == 1) {
        refuse_mix("ConditionalOperator can only be used when Filter or Expected has two or more elements");
    }
}

/// @param operation says which parameters count; one that takes no expressions is never refused.
void check_mix(json_input body, std::string_view operation) {
    const auto found = std::ranges::find(parameter_sets, operation, &parameters::operation);
    if (found == parameter_sets.end()) return;
    const bool any_expression = any_present(body, found->expressions);
    auto older = found->older;
    // KeyConditions may stand beside a filter expression.
    if (operation == "Query" && !body.find("KeyConditionExpression")) older[3] = {};
    if (any_expression && any_present(body, older)) {
        refuse_both(present(body, older), present(body, found->expressions));
    }
    if (!any_expression && body.find("ExpressionAttributeNames")) {
        refuse_mix("ExpressionAttributeNames can only be specified when using expressions");
    }
    check_values_have_use(body, *found);
    check_conditional_operator(body);
}

/// The tables of a batch go the same way, each for itself and all together.
void check_tables_mix(json_input body) {
    const auto* tables = body.find("RequestItems");
    bool any_expression = false;
    bool any_older = false;
    for (const auto& each : tables->GetObject()) {
        const json_input of_table{each.value};
        check_mix(of_table, "BatchGetItem");
        any_expression = any_expression || of_table.find("ProjectionExpression");
        any_older = any_older || of_table.find("AttributesToGet");
    }
    if (any_expression && any_older) refuse_both("AttributesToGet", "ProjectionExpression");
}

}  // namespace

void check_parameter_mix(json_input body, std::string_view operation) {
    if (operation == "BatchGetItem") return check_tables_mix(body);
    check_mix(body, operation);
}

}  // namespace dynalease::codec
