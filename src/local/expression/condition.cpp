// The evaluation of conditions.
// SPDX-License-Identifier: BSL-1.0
#include "local/expression/condition.hpp"

#include "local/values/values.hpp"

#include <algorithm>
#include <optional>

namespace dynalease::local::expression {

namespace {

class evaluation {
public:
    evaluation(const item& subject, const bindings& bound) : subject_(subject), bound_(bound) {}

    bool holds(const condition& tree) const {
        bound_.allowed().spend(1);
        const auto child_holds = [this](const condition& child) { return holds(child); };
        switch (tree.what) {
            case condition::kind::conjunction:
                return std::ranges::all_of(tree.children, child_holds);
            case condition::kind::disjunction:
                return std::ranges::any_of(tree.children, child_holds);
            case condition::kind::negation:
                return !holds(tree.children.front());
            case condition::kind::comparison:
                return compare(tree);
            case condition::kind::between:
                return between(tree);
            case condition::kind::membership:
                return member(tree);
            case condition::kind::test:
                return test(tree);
        }
        return false;
    }

private:
    /// The operand's value; null if the item has none. `storage` keeps one that had to be made.
    const attribute_value* value(const operand& of, attribute_value& storage) const {
        if (const auto* where = std::get_if<path>(&of.what)) return find(subject_, *where, bound_);
        if (const auto* placeholder = std::get_if<value_placeholder>(&of.what)) {
            bound_.allowed().spend(bound_.steps_of_a_value());
            return &bound_.value(*placeholder);
        }
        attribute_value inner;
        const auto* measured = value(std::get<call>(of.what).arguments.front(), inner);
        if (measured && measured->is<std::string>()) look_through(*measured);
        const auto size = measured ? size_of(*measured) : std::nullopt;
        if (!size) return nullptr;
        storage = attribute_value(*size);
        return &storage;
    }

    void look_through(const attribute_value& value) const { bound_.allowed().spend(steps_through(value)); }

    /// A comparison ends with the shorter of two texts, but reads both numbers.
    void look_through(const attribute_value& left, const attribute_value& right) const {
        look_through(left);
        if (right.is<number>()) look_through(right);
    }

    /// Values of two types are told apart at once.
    bool equal(const attribute_value& left, const attribute_value& right) const {
        if (left.get().index() != right.get().index()) return false;
        look_through(left, right);
        return left == right;
    }

    std::optional<std::strong_ordering> order_of(const attribute_value& left, const attribute_value& right) const {
        look_through(left, right);
        return order(left, right);
    }

    /// What is not there is unequal to everything and stands in no order to anything.
    bool compare(const condition& tree) const {
        attribute_value left_storage, right_storage;
        const auto* left = value(tree.operands[0], left_storage);
        const auto* right = value(tree.operands[1], right_storage);
        if (tree.comparator == comparator::equal) return left && right && equal(*left, *right);
        if (tree.comparator == comparator::not_equal) return !left || !right || !equal(*left, *right);
        const auto ordering = left && right ? order_of(*left, *right) : std::nullopt;
        if (!ordering) return false;
        switch (tree.comparator) {
            case comparator::less:
                return std::is_lt(*ordering);
            case comparator::less_or_equal:
                return std::is_lteq(*ordering);
            case comparator::greater:
                return std::is_gt(*ordering);
            default:
                return std::is_gteq(*ordering);
        }
    }

    bool between(const condition& tree) const {
        attribute_value storage, low_storage, high_storage;
        const auto* middle = value(tree.operands[0], storage);
        const auto* low = value(tree.operands[1], low_storage);
        const auto* high = value(tree.operands[2], high_storage);
        if (!middle || !low || !high) return false;
        const auto above = order_of(*low, *middle);
        const auto below = order_of(*middle, *high);
        return above && below && std::is_lteq(*above) && std::is_lteq(*below);
    }

    bool member(const condition& tree) const {
        attribute_value storage;
        const auto* wanted = value(tree.operands.front(), storage);
        return wanted && std::any_of(tree.operands.begin() + 1, tree.operands.end(), [&](const operand& each) {
                   attribute_value other_storage;
                   const auto* other = value(each, other_storage);
                   return other && equal(*other, *wanted);
               });
    }

    bool test(const condition& tree) const {
        attribute_value storage, other_storage;
        const auto* subject = value(tree.operands.front(), storage);
        if (tree.function == function::attribute_exists) return subject != nullptr;
        if (tree.function == function::attribute_not_exists) return subject == nullptr;
        const auto* other = value(tree.operands.back(), other_storage);
        if (!subject || !other) return false;
        if (tree.function == function::attribute_type) return subject->type_name() == *other->get_if<std::string>();
        look_through(*other);
        if (tree.function == function::begins_with) return begins_with(*subject, *other);
        constexpr std::size_t passes_of_a_search = 4;
        bound_.allowed().spend(passes_of_a_search * steps_through(*subject));
        const auto* list = subject->get_if<attribute_list>();
        if (list && other->is<number>())
            bound_.allowed().spend(list->size() * steps_through(*other));  // read each time
        return contains(*subject, *other);
    }

    const item& subject_;
    const bindings& bound_;
};

}  // namespace

bool holds(const condition& tree, const item& subject, const bindings& bound) {
    return evaluation(subject, bound).holds(tree);
}

}  // namespace dynalease::local::expression
