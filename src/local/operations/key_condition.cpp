// From the tree of a key condition to its tests.
// SPDX-License-Identifier: BSL-1.0
#include "local/operations/key_condition.hpp"

#include "local/codec/translated_placeholder.hpp"
#include "local/expression/paths.hpp"
#include "local/values/refusal.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace dynalease::local {

using expression::comparator;
using expression::condition;
using expression::operand;

namespace {

comparator mirrored(comparator how) {
    switch (how) {
        case comparator::less:
            return comparator::greater;
        case comparator::less_or_equal:
            return comparator::greater_or_equal;
        case comparator::greater:
            return comparator::less;
        case comparator::greater_or_equal:
            return comparator::less_or_equal;
        default:
            return how;
    }
}

class reader {
public:
    explicit reader(const expression::bindings& bound) : bound_(bound) {}

    std::vector<key_test> read(const condition& tree) const {
        std::vector<key_test> tests;
        gather(tree, tests);
        return tests;
    }

private:
    void gather(const condition& tree, std::vector<key_test>& tests) const {
        if (tree.what == condition::kind::conjunction) {
            for (const condition& child : tree.children) gather(child, tests);
            return;
        }
        if (const auto name = unindexable_name(tree); !name.empty()) {
            // One of the older operators may be two tests, one after the other.
            if (tests.empty() || tests.back().name != name) tests.push_back({.name = name, .is_indexable = false});
            return;
        }
        if (tree.what == condition::kind::disjunction) refuse_operator("OR");
        if (tree.what == condition::kind::negation) refuse_operator("NOT");
        if (tree.what == condition::kind::membership) refuse_operator("IN");
        if (tree.what == condition::kind::test && tree.function != expression::function::begins_with) {
            refuse_operator(name_of(tree.function));
        }
        if (tree.comparator == comparator::not_equal) refuse_operator("<>");
        tests.push_back(read_test(tree));
    }

    static bool is_range(const condition& tree) {
        if (tree.what == condition::kind::comparison) return tree.comparator != comparator::not_equal;
        return tree.what == condition::kind::between ||
               (tree.what == condition::kind::test && tree.function == expression::function::begins_with);
    }

    /// The attribute of an older parameter whose operator no order of keys can answer; else empty.
    std::string_view unindexable_name(const condition& tree) const {
        if (is_range(tree)) return {};
        std::string_view name;
        expression::each_path(tree, [&](const expression::path& path) {
            if (codec::is_translated(path.front().name)) name = bound_.name(path.front());
        });
        return name;
    }

    [[noreturn]] static void refuse_operator(std::string_view name) {
        refuse("Invalid operator used in KeyConditionExpression: " + std::string(name));
    }

    key_test read_test(const condition& tree) const {
        check_first(tree);
        key_test result{{}, tree.what, tree.comparator};
        const expression::path* subject = nullptr;
        std::size_t position = 0;
        for (std::size_t i = 0; i < tree.operands.size(); ++i) {
            const operand& each = tree.operands[i];
            if (std::holds_alternative<expression::call>(each.what)) {
                refuse("KeyConditionExpressions cannot contain nested operations");
            }
            if (const auto* placeholder = std::get_if<expression::value_placeholder>(&each.what)) {
                result.values.push_back(&bound_.value(*placeholder));
                continue;
            }
            if (subject) {
                refuse("Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition");
            }
            subject = &std::get<expression::path>(each.what);
            position = i;
            if (subject->size() != 1) refuse("KeyConditionExpressions cannot have conditions on nested attributes");
        }
        if (!subject) refuse("Invalid condition in KeyConditionExpression: No key attribute specified");
        if (position != 0) result.how = mirrored(result.how);
        result.name = bound_.name(subject->front());
        return result;
    }

    static void check_first(const condition& tree) {
        const bool any_order = tree.what == condition::kind::comparison;
        if (any_order || std::holds_alternative<expression::path>(tree.operands.front().what)) return;
        refuse("Invalid condition in KeyConditionExpression: " +
               std::string(tree.what == condition::kind::between ? "BETWEEN" : "begins_with") +
               " operator must have the key attribute as its first operand");
    }

    const expression::bindings& bound_;
};

void refuse_repeated(const std::vector<key_test>& tests) {
    std::set<std::string_view> seen;
    for (const key_test& each : tests) {
        if (seen.insert(each.name).second) continue;
        refuse("Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key");
    }
}

}  // namespace

const key_test* find(const std::vector<key_test>& tests, std::string_view name) {
    const auto found = std::ranges::find(tests, name, &key_test::name);
    return found == tests.end() ? nullptr : &*found;
}

std::vector<key_test> key_tests_of(const condition& tree, const expression::bindings& bound) {
    std::vector<key_test> tests = reader(bound).read(tree);
    refuse_repeated(tests);
    return tests;
}

void check_test_count(const std::vector<key_test>& tests, std::size_t attributes) {
    if (tests.size() <= std::max<std::size_t>(attributes, 2)) return;
    refuse("The number of query conditions (" + std::to_string(tests.size()) +
           ") exceeds the number of key attributes defined in the schema (" + std::to_string(attributes) + ")");
}

}  // namespace dynalease::local
