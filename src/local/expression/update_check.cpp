// What DynamoDB refuses in an update before it looks at any item.
// SPDX-License-Identifier: BSL-1.0
#include "local/expression/function_parser.hpp"
#include "local/expression/update.hpp"
#include "local/values/refusal.hpp"

#include <array>

namespace dynalease::local::expression {

namespace {

bool is_set(const attribute_value& value) {
    return value.is<string_set>() || value.is<number_set>() || value.is<binary_set>();
}

std::string_view long_name(const attribute_value& value) {
    constexpr std::array<std::string_view, 10> names{"STRING", "NUMBER", "BINARY",     "BOOLEAN",    "NULL",
                                                     "LIST",   "MAP",    "STRING_SET", "NUMBER_SET", "BINARY_SET"};
    return names[value.get().index()];
}

void check_member(const set_member_action& action, const bindings& bound, const char* name, bool number_too) {
    const attribute_value& value = bound.value(action.value);
    if (is_set(value) || (number_too && value.is<number>())) return;
    refuse(std::string("Incorrect operand type for operator or function; operator: ") + name +
           ", operand type: " + std::string(long_name(value)) + ", typeSet: ALLOWED_FOR_" + name + "_OPERAND");
}

void check_operand(const operand& of, const bindings& bound);

template <class Wanted>
void check_constant(const operand& of, const bindings& bound, std::string_view name) {
    if (const auto* placeholder = std::get_if<value_placeholder>(&of.what)) {
        const attribute_value& value = bound.value(*placeholder);
        if (!value.is<Wanted>()) {
            refuse("Incorrect operand type for operator or function; operator or function: " + std::string(name) +
                   ", operand type: " + std::string(value.type_name()));
        }
    }
    check_operand(of, bound);
}

void check_operand(const operand& of, const bindings& bound) {
    if (const auto* sum = std::get_if<arithmetic>(&of.what)) {
        for (const operand& side : sum->sides) check_constant<number>(side, bound, sum->subtract ? "-" : "+");
    } else if (const auto* function = std::get_if<call>(&of.what)) {
        check_count(function->function, function->arguments);
        check_path_wanted(function->function, function->arguments);
        for (const operand& argument : function->arguments) {
            if (function->function == function::list_append) {
                check_constant<attribute_list>(argument, bound, "list_append");
            } else {
                check_operand(argument, bound);
            }
        }
    }
}

}  // namespace

void check(const update& tree, const bindings& bound) {
    refuse_overlap(tree.targets, bound);
    for (const set_member_action& action : tree.add) check_member(action, bound, "ADD", true);
    for (const set_member_action& action : tree.erase) check_member(action, bound, "DELETE", false);
    for (const set_action& action : tree.set) check_operand(action.value, bound);
}

}  // namespace dynalease::local::expression
