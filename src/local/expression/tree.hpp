// What the parser makes of an expression's text. Placeholders stay placeholders, so that one tree serves every
// request with the same text.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace dynalease::local::expression {

/// One step of a document path: `name`, `#placeholder` or `[index]`.
struct step {
    enum class kind { name, placeholder, index };
    kind what = kind::name;
    std::string name{};
    std::size_t index = 0;
};
using path = std::vector<step>;

/// ":v"
struct value_placeholder {
    std::string name;
};

enum class function {
    attribute_exists,
    attribute_not_exists,
    attribute_type,
    begins_with,
    contains,
    size,
    if_not_exists,
    list_append,
};

struct operand;

struct call {
    expression::function function;
    std::vector<operand> arguments;
};

/// `left + right` or `left - right`, in a SET action only.
struct arithmetic {
    bool subtract = false;
    std::vector<operand> sides;
};

struct operand {
    std::variant<path, value_placeholder, call, arithmetic> what;
};

enum class comparator { equal, not_equal, less, less_or_equal, greater, greater_or_equal };

/// AND, OR and NOT have `children`; the others have `operands`.
struct condition {
    enum class kind { conjunction, disjunction, negation, comparison, between, membership, test };
    kind what = kind::test;
    expression::comparator comparator = comparator::equal;
    expression::function function = function::attribute_exists;
    std::vector<condition> children{};
    std::vector<operand> operands{};
};

struct set_action {
    path target;
    operand value;
};
struct set_member_action {  ///< of ADD and DELETE
    path target;
    value_placeholder value;
};
using projection = std::vector<path>;

struct update {
    std::vector<set_action> set;
    std::vector<path> remove;
    std::vector<set_member_action> add;
    std::vector<set_member_action> erase;
    projection targets;  ///< every path that the four write to
};

/// A tree with the placeholders it uses, each once, sorted.
template <class Tree>
struct parsed {
    Tree tree;
    std::vector<std::string> names{};
    std::vector<std::string> values{};
};

std::string_view name_of(function function) noexcept;
std::string_view name_of(comparator comparator) noexcept;

}  // namespace dynalease::local::expression
