// What DynamoDB refuses in a condition before it looks at any item.
// SPDX-License-Identifier: BSL-1.0
#include "dynamodb/base64.hpp"
#include "local/expression/condition.hpp"
#include "local/expression/function_parser.hpp"
#include "local/values/refusal.hpp"
#include "local/values/values.hpp"

#include <algorithm>
#include <array>

namespace dynalease::local::expression {

namespace {

constexpr std::array<std::string_view, 10> type_names{"B", "BOOL", "BS", "L", "M", "N", "NS", "NULL", "S", "SS"};

const attribute_value* constant(const operand& of, const bindings& bound) {
    const auto* placeholder = std::get_if<value_placeholder>(&of.what);
    return placeholder ? &bound.value(*placeholder) : nullptr;
}

[[noreturn]] void refuse_type(std::string_view name, std::string_view type) {
    refuse("Incorrect operand type for operator or function; operator or function: " + std::string(name) +
           ", operand type: " + std::string(type));
}

/// As DynamoDB shows values in messages: "{N:5}".
std::string shown(const attribute_value& value) {
    std::string text;
    if (const auto* held = value.get_if<std::string>()) text = *held;
    if (const auto* held = value.get_if<number>()) text = held->text();
    if (const auto* held = value.get_if<binary>()) text = encode_base64(*held);
    return "{" + std::string(value.type_name()) + ":" + text + "}";
}

bool is_ordered(const attribute_value& value) {
    return value.is<std::string>() || value.is<number>() || value.is<binary>();
}

/// The type that an operand has whatever the item; empty: that of an attribute.
std::string_view type_of(const operand& of, const bindings& bound) {
    if (std::holds_alternative<call>(of.what)) return "N";  // only `size` may stand here
    const auto* value = constant(of, bound);
    return value ? value->type_name() : std::string_view{};
}

bool has_size(std::string_view type) {
    return type != "N" && type != "BOOL" && type != "NULL";
}

/// Placeholders and numbers of arguments, before anything is said of what they are.
void check_form(const operand& of, const bindings& bound) {
    bound.check_defined(of);
    const auto* size = std::get_if<call>(&of.what);
    if (!size) return;
    for (const operand& argument : size->arguments) check_form(argument, bound);
    check_count(size->function, size->arguments);
}

void check_size(const operand& of, const bindings& bound) {
    const auto* size = std::get_if<call>(&of.what);
    if (!size) return;
    const operand& argument = size->arguments.front();
    check_size(argument, bound);
    if (const auto type = type_of(argument, bound); !has_size(type)) refuse_type("size", type);
}

void check_ordered(const operand& of, const bindings& bound, std::string_view name) {
    if (const auto* value = constant(of, bound); value && !is_ordered(*value)) refuse_type(name, value->type_name());
}

/// `a = a` is refused: it says nothing.
void check_distinct(const condition& tree, const bindings& bound, std::string_view name) {
    if (tree.operands.empty()) return;
    const auto* first = std::get_if<path>(&tree.operands.front().what);
    if (!first) return;
    for (std::size_t i = 1; i < tree.operands.size(); ++i) {
        const auto* other = std::get_if<path>(&tree.operands[i].what);
        if (!other) continue;
        const resolved_path one = resolve(*first, bound);
        if (resolve(*other, bound) == one) {
            refuse(
                "The first operand must be distinct from the remaining operands for this operator or function; "
                "operator: " +
                std::string(name) + ", first operand: " + to_text(one));
        }
    }
}

void check_between(const condition& tree, const bindings& bound) {
    for (const operand& each : tree.operands) check_ordered(each, bound, "BETWEEN");
    const auto* low = constant(tree.operands[1], bound);
    const auto* high = constant(tree.operands[2], bound);
    if (!low || !high) return;
    const auto ordering = order(*low, *high);
    const std::string operands = "; lower bound operand: AttributeValue: " + shown(*low) +
                                 ", upper bound operand: AttributeValue: " + shown(*high);
    if (!ordering) refuse("The BETWEEN operator requires same data type for lower and upper bounds" + operands);
    if (std::is_gt(*ordering)) {
        refuse("The BETWEEN operator requires upper bound to be greater than or equal to lower bound" + operands);
    }
}

void check_test(const condition& tree, const bindings& bound) {
    const operand& last = tree.operands.back();
    const auto* value = constant(last, bound);
    check_path_wanted(tree.function, tree.operands);
    if (tree.function == function::attribute_type) {
        if (!value || !value->is<std::string>()) {
            const auto type = type_of(last, bound);
            refuse_type("attribute_type", type.empty() ? "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}" : type);
        }
        if (!std::ranges::binary_search(type_names, std::string_view(*value->get_if<std::string>()))) {
            refuse("Invalid attribute type name found; type: " + *value->get_if<std::string>() +
                   ", valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}");
        }
    }
    if (tree.function == function::begins_with) {
        for (const operand& each : tree.operands) {
            const auto type = type_of(each, bound);
            if (!type.empty() && type != "S" && type != "B") refuse_type("begins_with", type);
        }
    }
}

std::string_view operator_of(const condition& tree) {
    if (tree.what == condition::kind::comparison) return name_of(tree.comparator);
    if (tree.what == condition::kind::between) return "BETWEEN";
    return tree.what == condition::kind::membership ? "IN" : name_of(tree.function);
}

void check_operands(const condition& tree, const bindings& bound) {
    if (tree.what == condition::kind::between) return check_between(tree, bound);
    if (tree.what == condition::kind::test) return check_test(tree, bound);
    const bool orders = tree.what == condition::kind::comparison && tree.comparator != comparator::equal &&
                        tree.comparator != comparator::not_equal;
    if (!orders) return;
    for (const operand& each : tree.operands) check_ordered(each, bound, name_of(tree.comparator));
}

}  // namespace

void check(const condition& tree, const bindings& bound) {
    for (const condition& child : tree.children) check(child, bound);
    for (const operand& each : tree.operands) check_form(each, bound);
    if (tree.what == condition::kind::test) check_count(tree.function, tree.operands);
    check_distinct(tree, bound, operator_of(tree));
    for (const operand& each : tree.operands) check_size(each, bound);
    check_operands(tree, bound);
}

}  // namespace dynalease::local::expression
