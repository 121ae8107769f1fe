// The evaluation of updates: all right-hand sides first, then the changes.
// SPDX-License-Identifier: BSL-1.0
#include "local/expression/update.hpp"

#include "dynamodb/value_size.hpp"
#include "local/codec/translated_placeholder.hpp"
#include "local/values/item_check.hpp"
#include "local/values/refusal.hpp"
#include "local/values/values.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::local::expression {

namespace {

[[noreturn]] void refuse_path() {
    refuse("The document path provided in the update expression is invalid for update");
}
/// AttributeUpdates have words of their own.
[[noreturn]] void refuse_member_type(const std::string& placeholder) {
    if (codec::is_translated(placeholder)) refuse("Type mismatch for attribute to update");
    refuse("An operand in the update expression has an incorrect data type");
}
[[noreturn]] void refuse_type() {
    refuse("An operand in the update expression has an incorrect data type");
}

/// What an update writes, added up while it is made: all of it becomes part of one item, so what is larger than an item
/// is refused before there is more of it.
class written_size {
public:
    explicit written_size(const bindings& bound) : bound_(bound) {}

    const attribute_value& add(const attribute_value& value) {
        bound_.allowed().spend(steps_through(value));
        sum_ += value_size(value);
        if (sum_ > largest_item) refuse_updated_size();
        return value;
    }
    std::size_t sum() const noexcept { return sum_; }
    void go_back_to(std::size_t sum) noexcept { sum_ = sum; }

private:
    const bindings& bound_;
    std::size_t sum_ = 0;
};

class right_side {
public:
    right_side(const item& before, const bindings& bound, written_size& size)
        : before_(before), bound_(bound), size_(size) {}

    attribute_value value(const operand& of) {
        if (const auto* placeholder = std::get_if<value_placeholder>(&of.what)) {
            return size_.add(bound_.value(*placeholder));
        }
        if (const auto* where = std::get_if<path>(&of.what)) {
            const auto* found = find(before_, *where, bound_);
            if (!found) refuse("The provided expression refers to an attribute that does not exist in the item");
            return size_.add(*found);
        }
        if (const auto* sum = std::get_if<arithmetic>(&of.what)) return value(*sum);
        return value(std::get<call>(of.what));
    }

private:
    attribute_value value(const arithmetic& sum) {
        const std::size_t before = size_.sum();
        const attribute_value left = value(sum.sides[0]);
        const attribute_value right = value(sum.sides[1]);
        const auto* a = left.get_if<number>();
        const auto* b = right.get_if<number>();
        if (!a || !b) refuse_type();
        size_.go_back_to(before);
        return size_.add(sum.subtract ? subtract(*a, *b) : add(*a, *b));
    }

    attribute_value value(const call& of) {
        if (of.function == function::if_not_exists) {
            const auto* found = find(before_, std::get<path>(of.arguments[0].what), bound_);
            return found ? size_.add(*found) : value(of.arguments[1]);
        }
        attribute_value joined = value(of.arguments[0]);
        attribute_value tail = value(of.arguments[1]);
        auto* list = joined.get_if<attribute_list>();
        auto* more = tail.get_if<attribute_list>();
        if (!list || !more) {
            const auto* placeholder = std::get_if<value_placeholder>(&of.arguments[1].what);
            refuse_member_type(placeholder ? placeholder->name : std::string());
        }
        list->insert(list->end(), std::move_iterator(more->begin()), std::move_iterator(more->end()));
        return joined;
    }

    const item& before_;
    const bindings& bound_;
    written_size& size_;
};

struct change {
    resolved_path target;
    attribute_value value;
};

const attribute_value* child(const attribute_value& of, const resolved_step& next) {
    if (next.is_name) {
        const auto* map = of.get_if<attribute_map>();
        if (!map) refuse_path();
        return dynalease::find(*map, next.name);
    }
    const auto* list = of.get_if<attribute_list>();
    if (!list) refuse_path();
    return next.index < list->size() ? &(*list)[next.index] : nullptr;
}

/// The document that holds the last step of the path, which is longer than one.
attribute_value& parent_of(item& whole, const resolved_path& where) {
    const auto top = whole.find(where.front().name);
    if (top == whole.end()) refuse_path();
    attribute_value* at = &top->second;
    for (std::size_t i = 1; i + 1 < where.size(); ++i) {
        at = const_cast<attribute_value*>(child(*at, where[i]));
        if (!at) refuse_path();
    }
    return *at;
}

/// The map or list that holds the last step; refuses a path into anything else.
attribute_value& container_of(item& whole, const resolved_path& where) {
    attribute_value& parent = parent_of(whole, where);
    const bool fits = where.back().is_name ? parent.is<attribute_map>() : parent.is<attribute_list>();
    if (!fits) refuse_path();
    return parent;
}

void put(item& whole, change change) {
    const resolved_step last = change.target.back();
    if (change.target.size() == 1) {
        whole.insert_or_assign(std::string(last.name), std::move(change.value));
        return;
    }
    attribute_value& parent = container_of(whole, change.target);
    if (last.is_name) {
        parent.get_if<attribute_map>()->insert_or_assign(std::string(last.name), std::move(change.value));
        return;
    }
    auto& list = *parent.get_if<attribute_list>();
    if (last.index < list.size()) {
        list[last.index] = std::move(change.value);
    } else {
        list.push_back(std::move(change.value));
    }
}

void erase(item& whole, const resolved_path& where, allowance& allowed) {
    const resolved_step& last = where.back();
    if (where.size() == 1) {
        if (const auto found = whole.find(last.name); found != whole.end()) whole.erase(found);
        return;
    }
    attribute_value& parent = container_of(whole, where);
    if (!child(parent, last)) return;
    if (last.is_name) {
        auto& map = *parent.get_if<attribute_map>();
        map.erase(map.find(last.name));
    } else {
        auto& list = *parent.get_if<attribute_list>();
        allowed.spend(list.size() - last.index);  // each of them moves
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(last.index));
    }
}

/// ADD of a number or a set; the sets must be of one type.
attribute_value added(const set_member_action& action, const attribute_value* present, const attribute_value& value) {
    if (!present) return value;
    if (present->get().index() != value.get().index()) refuse_member_type(action.value.name);
    return std::visit(
        [&]<class T>(const T& left) -> attribute_value {
            const T& right = *value.get_if<T>();
            if constexpr (std::is_same_v<T, number>) {
                return add(left, right);
            } else if constexpr (requires(T set) { set.merge(set); } && !std::is_same_v<T, attribute_map>) {
                T sum = left;
                sum.insert(right.begin(), right.end());
                return sum;
            } else {
                refuse_member_type(action.value.name);
            }
        },
        present->get());
}

/// DELETE of members; empty when none are left, for DynamoDB keeps no empty set.
std::optional<attribute_value> reduced(const set_member_action& action, const attribute_value& present,
                                       const attribute_value& value) {
    if (present.get().index() != value.get().index()) refuse_member_type(action.value.name);
    return std::visit(
        [&]<class T>(const T& left) -> std::optional<attribute_value> {
            if constexpr (requires(T set) { set.merge(set); } && !std::is_same_v<T, attribute_map>) {
                T rest = left;
                for (const auto& member : *value.get_if<T>()) rest.erase(member);
                if (rest.empty()) return std::nullopt;
                return rest;
            } else {
                refuse_member_type(action.value.name);
            }
        },
        present.get());
}

}  // namespace

void apply(const update& tree, const bindings& bound, const item& before, item& after) {
    constexpr std::size_t steps_of_a_member = 8;  // of a set: it is looked for, or copied
    std::vector<change> changes;
    changes.reserve(tree.targets.size());
    std::vector<resolved_path> removals;
    const auto remove = [&](const path& target) {
        resolved_path where = resolve(target, bound);
        // An index means what it meant before: beyond the old end there is nothing, even if SET appends there.
        const bool element = !where.back().is_name;
        if (element) container_of(after, where);
        if (!element || find(before, target, bound)) removals.push_back(std::move(where));
    };
    written_size size(bound);
    right_side right(before, bound, size);
    for (const set_action& action : tree.set) {
        changes.push_back({resolve(action.target, bound), right.value(action.value)});
    }
    for (const set_member_action& action : tree.add) {
        const auto* present = find(before, action.target, bound);
        const attribute_value& value = bound.value(action.value);
        bound.allowed().spend(steps_of_a_member * steps_through(value));
        if (!present) size.add(value);
        changes.push_back({resolve(action.target, bound), added(action, present, value)});
        if (present) size.add(changes.back().value);
    }
    for (const set_member_action& action : tree.erase) {
        const auto* present = find(before, action.target, bound);
        const attribute_value& value = bound.value(action.value);
        if (present) bound.allowed().spend(steps_of_a_member * (steps_through(*present) + steps_through(value)));
        auto rest = present ? reduced(action, *present, value) : std::nullopt;
        if (rest) {
            changes.push_back({resolve(action.target, bound), *std::move(rest)});
        } else {
            remove(action.target);
        }
    }
    for (const path& target : tree.remove) remove(target);
    // In order of the paths, so that several elements beyond a list's end are appended by their index; removals
    // the other way, so that one does not move the next.
    std::ranges::sort(changes, {}, &change::target);
    for (change& each : changes) put(after, std::move(each));
    std::ranges::sort(removals, std::greater<>{});
    for (const resolved_path& each : removals) erase(after, each, bound.allowed());
}

}  // namespace dynalease::local::expression
