// Translating AttributesToGet, Expected, the filters, KeyConditions and AttributeUpdates.
// SPDX-License-Identifier: BSL-1.0
#include "local/codec/legacy_parameters.hpp"

#include "local/codec/translated_placeholder.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace dynalease::codec {

namespace {

using json = json_value;

[[noreturn]] void refuse_parameter(std::string what) {
    throw malformed{errc::validation, "One or more parameter values were invalid: " + std::move(what)};
}

struct comparison {
    std::string_view word;  ///< "BETWEEN"
    std::size_t least;      ///< operands
    std::size_t most;
    std::string_view types;                  ///< that the operands may have, each in blanks; empty: any
    std::string_view before, middle, after;  ///< the condition's text around the attribute and its operands
    std::string_view separator = ", ";
};

constexpr std::size_t most_operands = std::numeric_limits<std::size_t>::max();
constexpr std::string_view not_contains = "NOT_CONTAINS";
constexpr std::string_view scalars = " S N B ";
constexpr std::array<comparison, 13> comparisons{{
    {"EQ", 1, 1, "", "", " = ", ""},
    {"NE", 1, 1, "", "", " <> ", ""},
    {"LE", 1, 1, scalars, "", " <= ", ""},
    {"LT", 1, 1, scalars, "", " < ", ""},
    {"GE", 1, 1, scalars, "", " >= ", ""},
    {"GT", 1, 1, scalars, "", " > ", ""},
    {"NULL", 0, 0, "", "attribute_not_exists(", ")", ""},
    {"NOT_NULL", 0, 0, "", "attribute_exists(", ")", ""},
    {"CONTAINS", 1, 1, scalars, "contains(", ", ", ")"},
    {not_contains, 1, 1, scalars, "NOT contains(", ", ", ")"},
    {"BEGINS_WITH", 1, 1, " S B ", "begins_with(", ", ", ")"},
    {"IN", 1, most_operands, scalars, "", " IN (", ")"},
    {"BETWEEN", 2, 2, scalars, "", " BETWEEN ", "", " AND "},
}};

constexpr std::string_view key_conditions = "KeyConditions";

/// The placeholders of one translated parameter.
class placeholders {
public:
    /// @param parameter that it becomes.
    placeholders(expression_target out, std::string_view parameter)
        : out_(out), name_start_(translated_name_of(parameter)) {}

    std::string name(std::string_view attribute) {
        auto placeholder = name_start_ + std::to_string(out_.names.size());
        out_.names.emplace(placeholder, attribute);
        return placeholder;
    }
    std::string value(attribute_value held) {
        auto placeholder = std::string(translated_value) + std::to_string(out_.values.size());
        out_.values.emplace(placeholder, std::move(held));
        return placeholder;
    }

private:
    expression_target out_;
    std::string name_start_;
};

std::vector<attribute_value> values_of(const json* list) {
    std::vector<attribute_value> values;
    if (list) read(json_input{*list}, values);
    return values;
}

void check_operands(const comparison& how, const std::vector<attribute_value>& operands) {
    if (operands.size() < how.least || operands.size() > how.most) {
        refuse_parameter("Invalid number of argument(s) for the " + std::string(how.word) + " ComparisonOperator");
    }
    for (const auto& each : operands) {
        if (each.get().index() != operands.front().get().index()) {
            refuse_parameter("AttributeValues inside AttributeValueList must be of same type");
        }
        const std::string type(each.type_name());
        if (!how.types.empty() && how.types.find(" " + type + " ") == std::string_view::npos) {
            refuse_parameter("ComparisonOperator " + std::string(how.word) + " is not valid for " + type +
                             " AttributeValue type");
        }
    }
    if (how.word != "BETWEEN") return;
    const auto& low = operands[0].get();
    const auto& high = operands[1].get();
    const bool reversed = std::visit(
        [&high]<class T>(const T& value) {
            if constexpr (requires { value < value; }) return std::get<T>(high) < value;
            return false;
        },
        low);
    if (reversed) {
        throw malformed{errc::validation,
                        "The BETWEEN condition was provided a range where the lower bound is greater than the upper "
                        "bound"};
    }
}

std::string condition_text(std::string_view attribute, std::string_view word, std::vector<attribute_value> operands,
                           placeholders& make) {
    const auto& how = *std::ranges::find(comparisons, word, &comparison::word);
    check_operands(how, operands);
    const std::string name = make.name(attribute);
    // What is not there neither contains something nor does not.
    std::string text(how.word == not_contains ? "attribute_exists(" + name + ") AND " : "");
    text += how.before;
    text += name;
    text += how.middle;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (i != 0) text += how.separator;
        text += make.value(std::move(operands[i]));
    }
    text += how.after;
    return text;
}

/// Joins conditions by the request's ConditionalOperator.
class joined_conditions {
public:
    void read_operator(json_input body) {
        const json* how = body.find("ConditionalOperator");
        if (how && json_input{*how}.text() == "OR") separator_ = " OR ";
    }

    void add(const std::string& condition) {
        const bool is_compound = condition.find(" AND ") != std::string::npos;
        text_ += (text_.empty() ? "" : separator_) + (is_compound ? "(" + condition + ")" : condition);
    }
    std::string take() { return std::move(text_); }

private:
    std::string separator_ = " AND ";
    std::string text_;
};

std::optional<attribute_value> value_in(json_input holder) {
    const json* held = holder.find("Value");
    if (!held) return std::nullopt;
    attribute_value value;
    read(json_input{*held}, value);
    return value;
}

/// One attribute of Expected.
std::string expectation(const std::string& attribute, json_input expected, placeholders& make) {
    const json* word = expected.find("ComparisonOperator");
    const json* list = expected.find("AttributeValueList");
    const json* exists = expected.find("Exists");
    auto value = value_in(expected);
    const std::string of_attribute = " for Attribute: " + attribute;
    if (list && value) refuse_parameter("Value and AttributeValueList cannot be used together" + of_attribute);
    if (word) {
        const std::string name(json_input{*word}.text());
        if (exists) refuse_parameter("Exists and ComparisonOperator cannot be used together" + of_attribute);
        if (!list && !value && name != "NULL" && name != "NOT_NULL") {
            refuse_parameter("Value or AttributeValueList must be used with ComparisonOperator: " + name +
                             of_attribute);
        }
        auto operands = values_of(list);
        if (value) operands.push_back(*std::move(value));
        return condition_text(attribute, name, std::move(operands), make);
    }
    if (list) refuse_parameter("AttributeValueList can only be used with a ComparisonOperator" + of_attribute);
    if (exists && exists->IsFalse()) {
        if (value) refuse_parameter("Value cannot be used when Exists is false" + of_attribute);
        return condition_text(attribute, "NULL", {}, make);
    }
    if (!value) {
        refuse_parameter(std::string("Value must be provided when Exists is ") + (exists ? "true" : "null") +
                         of_attribute);
    }
    return condition_text(attribute, "EQ", {*std::move(value)}, make);
}

}  // namespace

void read_attributes_to_get(json_input body, std::string& projection, attribute_names& names) {
    const json* list = body.find("AttributesToGet");
    if (!list) return;
    attribute_values no_values;
    placeholders make({projection, names, no_values}, "ProjectionExpression");
    std::set<std::string_view> seen;
    for (const json& each : list->GetArray()) {
        const std::string_view attribute = text_of(each);
        if (!seen.insert(attribute).second) {
            refuse_parameter("Duplicate value in attribute name: " + std::string(attribute));
        }
        projection += (projection.empty() ? "" : ", ") + make.name(attribute);
    }
}

void check_size_before_expected(json_input body, const item& whole) {
    constexpr std::size_t largest_item = 400 * 1024;
    if (!body.find("Expected") || item_size(whole) <= largest_item) return;
    throw malformed{errc::validation, "Item size has exceeded the maximum allowed size"};
}

void read_expected(json_input body, expression_target out) {
    const json* expected = body.find("Expected");
    if (!expected) return;
    placeholders make(out, "ConditionExpression");
    joined_conditions conditions;
    conditions.read_operator(body);
    for (const auto& each : expected->GetObject()) {
        conditions.add(expectation(std::string(text_of(each.name)), json_input{each.value}, make));
    }
    out.text = conditions.take();
}

void read_conditions(json_input body, std::string_view parameter, expression_target out) {
    const json* filter = body.find(parameter);
    if (!filter) return;
    const bool is_key = parameter == key_conditions;
    placeholders make(out, is_key ? "KeyConditionExpression" : "FilterExpression");
    joined_conditions conditions;
    if (!is_key) conditions.read_operator(body);
    for (const auto& each : filter->GetObject()) {
        const json_input condition{each.value};
        const std::string_view word = json_input{*condition.find("ComparisonOperator")}.text();
        conditions.add(condition_text(text_of(each.name), word, values_of(condition.find("AttributeValueList")), make));
    }
    out.text = conditions.take();
}

void read_key_conditions(json_input body, expression_target out) {
    const json* given = body.find(key_conditions);
    if (!given) return;
    read_conditions(body, key_conditions, out);
    // The key of a global index may have more attributes; which it is, the engine knows.
    if (given->MemberCount() == 0 || (given->MemberCount() > 2 && !body.find("IndexName"))) {
        throw malformed{errc::validation, "Conditions can be of length 1 or 2 only"};
    }
}

void read_attribute_updates(json_input body, expression_target out) {
    const json* updates = body.find("AttributeUpdates");
    if (!updates) return;
    placeholders make(out, "UpdateExpression");
    std::array<std::string, 4> sections;
    const auto add = [&sections](std::size_t section, std::string_view keyword, const std::string& action) {
        sections[section] += (sections[section].empty() ? std::string(keyword) + " " : ", ") + action;
    };
    for (const auto& each : updates->GetObject()) {
        const json* action = json_input{each.value}.find("Action");
        const std::string_view word = action ? text_of(*action) : "PUT";
        auto value = value_in(json_input{each.value});
        if (!value && word != "DELETE") {
            refuse_parameter("Only DELETE action is allowed when no attribute value is specified");
        }
        const std::string type(value ? value->type_name() : "");
        const bool is_set = type == "SS" || type == "NS" || type == "BS";
        if (value && word == "DELETE" && !is_set) {
            refuse_parameter("DELETE action with value is not supported for the type " + type);
        }
        if (word == "ADD" && !is_set && type != "N" && type != "L") {
            refuse_parameter("ADD action is not supported for the type " + type);
        }
        const std::string name = make.name(text_of(each.name));
        if (!value) {
            add(1, "REMOVE", name);
        } else if (word == "PUT") {
            add(0, "SET", name + " = " + make.value(*std::move(value)));
        } else if (type == "L") {
            const std::string nothing = make.value(attribute_list{});
            add(0, "SET",
                name + " = list_append(if_not_exists(" + name + ", " + nothing + "), " + make.value(*std::move(value)) +
                    ")");
        } else {
            add(word == "ADD" ? 2 : 3, word, name + " " + make.value(*std::move(value)));
        }
    }
    for (const auto& section : sections) {
        if (!section.empty()) out.text += (out.text.empty() ? "" : " ") + section;
    }
}

}  // namespace dynalease::codec
