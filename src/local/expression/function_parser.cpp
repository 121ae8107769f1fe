// Names, arity and argument forms of the functions.
// SPDX-License-Identifier: BSL-1.0
#include "local/expression/function_parser.hpp"

#include "local/values/refusal.hpp"

#include <array>
#include <string>

namespace dynalease::local::expression {

namespace {

struct description {
    expression::function function;
    std::string_view name;
    std::size_t arguments;
    bool test;
    bool first_is_path;
};

constexpr std::array<description, 8> functions{{
    {function::attribute_exists, "attribute_exists", 1, true, true},
    {function::attribute_not_exists, "attribute_not_exists", 1, true, true},
    {function::attribute_type, "attribute_type", 2, true, false},
    {function::begins_with, "begins_with", 2, true, false},
    {function::contains, "contains", 2, true, false},
    {function::size, "size", 1, false, false},
    {function::if_not_exists, "if_not_exists", 2, false, true},
    {function::list_append, "list_append", 2, false, false},
}};

const description& describe(function function) {
    return functions[static_cast<std::size_t>(function)];
}

}  // namespace

std::optional<function> function_named(std::string_view name) noexcept {
    for (const auto& known : functions) {
        if (known.name == name) return known.function;
    }
    return std::nullopt;
}

bool is_test(function function) noexcept {
    return describe(function).test;
}

void check_count(function function, const std::vector<operand>& arguments) {
    const description& known = describe(function);
    if (arguments.size() == known.arguments) return;
    refuse("Incorrect number of operands for operator or function; operator or function: " + std::string(known.name) +
           ", number of operands: " + std::to_string(arguments.size()));
}

void check_path_wanted(function function, const std::vector<operand>& arguments) {
    const description& known = describe(function);
    if (!known.first_is_path || std::holds_alternative<path>(arguments.front().what)) return;
    refuse("Operator or function requires a document path; operator or function: " + std::string(known.name));
}

std::string_view name_of(function function) noexcept {
    return describe(function).name;
}

std::string_view name_of(comparator comparator) noexcept {
    constexpr std::array<std::string_view, 6> names{"=", "<>", "<", "<=", ">", ">="};
    return names[static_cast<std::size_t>(comparator)];
}

}  // namespace dynalease::local::expression
