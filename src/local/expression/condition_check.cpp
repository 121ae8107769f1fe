// What DynamoDB refuses in a condition before it looks at any item.
#include "dynamodb/base64.hpp"
#include "local/expression/condition.hpp"
#include "local/refusal.hpp"
#include "local/values.hpp"

#include <algorithm>
#include <array>
#include <functional>

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

void check_size(const operand& of, const bindings& bound) {
    const auto* size = std::get_if<call>(&of.what);
    if (!size) return;
    const operand& argument = size->arguments.front();
    if (std::holds_alternative<call>(argument.what)) {
        refuse("The function is not allowed to be used this way in an expression; function: size");
    }
    if (const auto* value = constant(argument, bound); value && !size_of(*value))
        refuse_type("size", value->type_name());
}

void check_ordered(const operand& of, const bindings& bound, std::string_view name) {
    if (const auto* value = constant(of, bound); value && !is_ordered(*value)) refuse_type(name, value->type_name());
}

/// `a = a` is refused: it says nothing.
void check_distinct(const condition& tree, const bindings& bound, std::string_view name) {
    const auto* first = std::get_if<path>(&tree.operands.front().what);
    if (!first) return;
    const resolved_path one = resolve(*first, bound);
    for (std::size_t i = 1; i < tree.operands.size(); ++i) {
        const auto* other = std::get_if<path>(&tree.operands[i].what);
        if (other && resolve(*other, bound) == one) {
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
    if (tree.function == function::attribute_type) {
        if (!value || !value->is<std::string>()) refuse_type("attribute_type", value ? value->type_name() : "PATH");
        if (!std::ranges::binary_search(type_names, std::string_view(*value->get_if<std::string>()))) {
            refuse("Invalid attribute type name found; type: " + *value->get_if<std::string>() +
                   ", valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}");
        }
    }
    if (tree.function == function::begins_with) {
        for (const operand& each : tree.operands) {
            const auto* text = constant(each, bound);
            if (text && !text->is<std::string>() && !text->is<binary>()) refuse_type("begins_with", text->type_name());
        }
    }
}

}  // namespace

void check(const condition& tree, const bindings& bound) {
    for (const condition& child : tree.children) check(child, bound);
    for (const operand& each : tree.operands) check_size(each, bound);
    switch (tree.what) {
        case condition::kind::conjunction:
        case condition::kind::disjunction:
        case condition::kind::negation:
            return;
        case condition::kind::comparison:
            if (tree.comparator != comparator::equal && tree.comparator != comparator::not_equal) {
                for (const operand& each : tree.operands) check_ordered(each, bound, name_of(tree.comparator));
            }
            return check_distinct(tree, bound, name_of(tree.comparator));
        case condition::kind::between:
            check_distinct(tree, bound, "BETWEEN");
            return check_between(tree, bound);
        case condition::kind::membership:
            return check_distinct(tree, bound, "IN");
        case condition::kind::test:
            check_distinct(tree, bound, name_of(tree.function));
            return check_test(tree, bound);
    }
}

}  // namespace dynalease::local::expression
