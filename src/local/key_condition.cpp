// From the tree of a key condition to a range of keys.
#include "local/key_condition.hpp"

#include "local/refusal.hpp"

#include <utility>

namespace dynalease::local {

using expression::comparator;
using expression::condition;
using expression::operand;

namespace {

[[noreturn]] void refuse_unsupported() {
    refuse("Query key condition not supported");
}

/// One test as `name comparator values`, with the name on the left.
struct test {
    std::string_view name;
    condition::kind what = condition::kind::comparison;
    comparator how = comparator::equal;
    std::vector<const attribute_value*> values{};
};

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

    std::vector<test> read(const condition& tree) const {
        std::vector<test> tests;
        gather(tree, tests);
        return tests;
    }

private:
    void gather(const condition& tree, std::vector<test>& tests) const {
        if (tree.what == condition::kind::conjunction) {
            for (const condition& child : tree.children) gather(child, tests);
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

    [[noreturn]] static void refuse_operator(std::string_view name) {
        refuse("Invalid operator used in KeyConditionExpression: " + std::string(name));
    }

    test read_test(const condition& tree) const {
        test result{{}, tree.what, tree.comparator};
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
        }
        check_subject(tree, subject, position);
        if (position != 0) result.how = mirrored(result.how);
        result.name = bound_.name(subject->front());
        return result;
    }

    static void check_subject(const condition& tree, const expression::path* subject, std::size_t position) {
        if (tree.what != condition::kind::comparison && (!subject || position != 0)) {
            refuse("Invalid condition in KeyConditionExpression: " +
                   std::string(tree.what == condition::kind::between ? "BETWEEN" : "begins_with") +
                   " operator must have the key attribute as its first operand");
        }
        if (!subject) refuse("Invalid condition in KeyConditionExpression: No key attribute specified");
        if (subject->size() != 1) refuse("KeyConditionExpressions cannot have conditions on nested attributes");
    }

    const expression::bindings& bound_;
};

const test* take(std::vector<test>& tests, const std::string& name) {
    const test* found = nullptr;
    for (const test& each : tests) {
        if (each.name != name) continue;
        if (found) {
            refuse("KeyConditionExpressions must only contain one condition per key");
        }
        found = &each;
    }
    return found;
}

void check_types(const test& of, const key_attribute& attribute) {
    for (const auto* value : of.values) {
        if (!has_type(*value, attribute.type)) {
            refuse("One or more parameter values were invalid: Condition parameter type does not match schema type");
        }
    }
}

void bound_by_comparison(key_range& range, comparator how, std::string value) {
    const bool lower = how == comparator::greater || how == comparator::greater_or_equal || how == comparator::equal;
    const bool upper = how == comparator::less || how == comparator::less_or_equal || how == comparator::equal;
    range.first_excluded = how == comparator::greater;
    range.last_excluded = how == comparator::less;
    if (upper) range.last = value;
    if (lower) range.first.range = std::move(value);
}

void bound_by(key_range& range, const test& wanted) {
    std::string value = encode_key_value(*wanted.values.front());
    if (wanted.what == condition::kind::comparison) return bound_by_comparison(range, wanted.how, std::move(value));
    range.first.range = value;
    if (wanted.what == condition::kind::between) {
        range.last = encode_key_value(*wanted.values.back());
    } else {
        range.prefix = std::move(value);
    }
}

}  // namespace

bool key_range::is_above(const row_key& key) const {
    if (key.slot != first.slot || key.hash != first.hash) return key > first;
    if (prefix && !key.range.starts_with(*prefix)) return key.range > *prefix;
    return last && (last_excluded ? key.range >= *last : key.range > *last);
}

bool key_range::is_below(const row_key& key) const {
    return first_excluded ? key <= first : key < first;
}

key_range range_of(const condition& tree, const expression::bindings& bound, const key_schema& schema) {
    std::vector<test> tests = reader(bound).read(tree);
    const test* hash = take(tests, schema.hash.name);
    if (!hash) refuse("Query condition missed key schema element: " + schema.hash.name);
    if (hash->what != condition::kind::comparison || hash->how != comparator::equal) refuse_unsupported();
    check_types(*hash, schema.hash);
    key_range range;
    range.first = hash_key(*hash->values.front());
    if (tests.size() == 1) return range;
    const test* wanted = schema.range ? take(tests, schema.range->name) : nullptr;
    if (!wanted) {
        if (schema.range) refuse("Query condition missed key schema element: " + schema.range->name);
        refuse_unsupported();
    }
    if (tests.size() > 2) refuse_unsupported();
    check_types(*wanted, *schema.range);
    if (wanted->what == condition::kind::test && schema.range->type == scalar_type::n) refuse_unsupported();
    bound_by(range, *wanted);
    return range;
}

}  // namespace dynalease::local
