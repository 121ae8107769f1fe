// Placeholders, and paths with their placeholders replaced.
// SPDX-License-Identifier: BSL-1.0
#include "local/expression/bindings.hpp"

#include "local/codec/translated_placeholder.hpp"
#include "local/values/refusal.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace dynalease::local::expression {

namespace {

template <class Map, class Placeholders>
void refuse_unused(const Map& defined, const Placeholders& used, const char* what) {
    std::string unused;
    for (const auto& each : defined) {
        const std::string& placeholder = each.first;
        const auto has_it = [&](const auto& sorted) { return std::ranges::binary_search(sorted, placeholder); };
        if (std::ranges::any_of(used, has_it)) continue;
        unused += (unused.empty() ? "" : ", ") + placeholder;
    }
    if (!unused.empty()) {
        refuse(std::string("Value provided in ") + what + " unused in expressions: keys: {" + unused + "}");
    }
}

[[noreturn]] void refuse_undefined_name(const std::string& placeholder) {
    refuse("An expression attribute name used in the document path is not defined; attribute name: " + placeholder);
}

[[noreturn]] void refuse_undefined_value(const std::string& placeholder) {
    refuse("An expression attribute value used in expression is not defined; attribute value: " + placeholder);
}

enum class relation { apart, conflict, overlap };

relation relation_of(const resolved_path& one, const resolved_path& two) {
    const auto [left, right] = std::ranges::mismatch(one, two);
    if (left == one.end() || right == two.end()) return relation::overlap;
    return left->is_name != right->is_name ? relation::conflict : relation::apart;
}

[[noreturn]] void refuse_meeting(relation how, const resolved_path& one, const resolved_path& two) {
    refuse(std::string("Two document paths ") + (how == relation::overlap ? "overlap" : "conflict") +
           " with each other; must remove or rewrite one of these paths; path one: " + to_text(one) +
           ", path two: " + to_text(two));
}

/// Tells of the first path, in the order of the expression, that meets one before it. Of paths that do not meet, only
/// its neighbours in their sorted order can.
void refuse_first(relation wanted, const std::vector<resolved_path>& paths) {
    std::set<resolved_path> before;
    for (auto two = paths.begin(); two != paths.end(); ++two) {
        const auto next = before.lower_bound(*two);
        const auto meets = [&](const resolved_path& other) { return relation_of(other, *two) == wanted; };
        if ((next != before.end() && meets(*next)) || (next != before.begin() && meets(*std::prev(next)))) {
            refuse_meeting(wanted, *std::find_if(paths.begin(), two, meets), *two);
        }
        before.emplace_hint(next, *two);
    }
}

const attribute_value* child(const attribute_value& of, const step& next, const bindings& bound) {
    if (next.what == step::kind::index) {
        const auto* list = of.get_if<attribute_list>();
        return list && next.index < list->size() ? &(*list)[next.index] : nullptr;
    }
    const auto* map = of.get_if<attribute_map>();
    return map ? dynalease::find(*map, bound.name(next)) : nullptr;
}

}  // namespace

std::string_view bindings::name(const step& of) const {
    return of.what == step::kind::placeholder ? std::string_view(names_->find(of.name)->second)
                                              : std::string_view(of.name);
}

const attribute_value& bindings::value(const value_placeholder& of) const {
    return values_->find(of.name)->second;
}

void bindings::check_defined(const operand& of) const {
    if (const auto* where = std::get_if<path>(&of.what)) {
        for (const step& each : *where) {
            if (each.what == step::kind::placeholder && !names_->contains(each.name)) refuse_undefined_name(each.name);
        }
    } else if (const auto* placeholder = std::get_if<value_placeholder>(&of.what)) {
        if (!values_->contains(placeholder->name)) refuse_undefined_value(placeholder->name);
    } else if (const auto* function = std::get_if<call>(&of.what)) {
        for (const operand& argument : function->arguments) check_defined(argument);
    }
}

bool bindings::is_translated(std::string_view parameter) const {
    const std::string start = codec::translated_name_of(parameter);
    const auto first = names_->lower_bound(start);
    return first != names_->end() && first->first.starts_with(start);
}

void usage::check_defined(const std::vector<std::string>& names, const std::vector<std::string>& values) const {
    for (const auto& placeholder : names) {
        if (!names_.contains(placeholder)) refuse_undefined_name(placeholder);
    }
    for (const auto& placeholder : values) {
        if (!values_.contains(placeholder)) refuse_undefined_value(placeholder);
    }
}

void usage::finish() const {
    const bool any = expressions_ != 0;
    if (!any && !names_.empty()) refuse("ExpressionAttributeNames can only be specified when using expressions");
    if (!any && !values_.empty()) refuse("ExpressionAttributeValues can only be specified when using expressions");
    refuse_unused(names_, used_names_, "ExpressionAttributeNames");
    refuse_unused(values_, used_values_, "ExpressionAttributeValues");
}

resolved_path resolve(const path& from, const bindings& bound) {
    resolved_path result;
    result.reserve(from.size());
    for (const step& each : from) {
        if (each.what == step::kind::index) {
            result.push_back({false, each.index});
        } else {
            result.push_back({true, 0, bound.name(each)});
        }
    }
    return result;
}

void refuse_overlap(const projection& paths, const bindings& bound) {
    // Paths into different attributes have nothing in common.
    std::vector<std::string_view> attributes;
    attributes.reserve(paths.size());
    for (const path& each : paths) attributes.push_back(bound.name(each.front()));
    std::ranges::sort(attributes);
    if (std::ranges::adjacent_find(attributes) == attributes.end()) return;
    std::vector<resolved_path> resolved;
    resolved.reserve(paths.size());
    for (const path& each : paths) resolved.push_back(resolve(each, bound));
    refuse_first(relation::overlap, resolved);
    refuse_first(relation::conflict, resolved);
}

std::string to_text(const resolved_path& shown) {
    std::string text = "[";
    for (const resolved_step& each : shown) {
        if (text.size() > 1) text += ", ";
        text += each.is_name ? std::string(each.name) : "[" + std::to_string(each.index) + "]";
    }
    return text + "]";
}

const attribute_value* find(const item& from, const path& where, const bindings& bound) {
    bound.allowed().spend(bound.steps_of_a_name() * where.size());
    const attribute_value* at = dynalease::find(from, bound.name(where.front()));
    for (std::size_t i = 1; at && i < where.size(); ++i) at = child(*at, where[i], bound);
    return at;
}

}  // namespace dynalease::local::expression
