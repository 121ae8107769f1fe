// Placeholders, and paths with their placeholders replaced.
#include "local/expression/bindings.hpp"

#include "local/refusal.hpp"

#include <algorithm>

namespace dynalease::local::expression {

namespace {

template <class Map>
void refuse_unused(const Map& defined, std::vector<std::string_view> used, const char* what) {
    std::ranges::sort(used);
    std::string unused;
    for (const auto& [placeholder, value] : defined) {
        if (std::ranges::binary_search(used, placeholder)) continue;
        unused += (unused.empty() ? "" : ", ") + placeholder;
    }
    if (!unused.empty()) {
        refuse(std::string("Value provided in ") + what + " unused in expressions: keys: {" + unused + "}");
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

void usage::add(const std::vector<std::string>& names, const std::vector<std::string>& values) {
    any_ = true;
    for (const auto& placeholder : names) {
        if (!names_.contains(placeholder)) {
            refuse("An expression attribute name used in the document path is not defined; attribute name: " +
                   placeholder);
        }
        used_names_.push_back(placeholder);
    }
    for (const auto& placeholder : values) {
        if (!values_.contains(placeholder)) {
            refuse("An expression attribute value used in expression is not defined; attribute value: " + placeholder);
        }
        used_values_.push_back(placeholder);
    }
}

void usage::finish() const {
    if (!any_ && !names_.empty()) refuse("ExpressionAttributeNames can only be specified when using expressions");
    if (!any_ && !values_.empty()) refuse("ExpressionAttributeValues can only be specified when using expressions");
    if (!names_.empty()) refuse_unused(names_, used_names_, "ExpressionAttributeNames");
    if (!values_.empty()) refuse_unused(values_, used_values_, "ExpressionAttributeValues");
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

void refuse_overlap(std::span<resolved_path> paths) {
    std::ranges::sort(paths);
    for (std::size_t i = 1; i < paths.size(); ++i) {
        const resolved_path& one = paths[i - 1];
        const resolved_path& two = paths[i];
        const auto [left, right] = std::ranges::mismatch(one, two);
        const char* fault = nullptr;
        if (left == one.end()) {
            fault = "overlap";
        } else if (right != two.end() && left->is_name != right->is_name) {
            fault = "conflict";
        }
        if (fault) {
            refuse(std::string("Two document paths ") + fault +
                   " with each other; must remove or rewrite one of these paths; path one: " + to_text(one) +
                   ", path two: " + to_text(two));
        }
    }
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
    const attribute_value* at = dynalease::find(from, bound.name(where.front()));
    for (std::size_t i = 1; at && i < where.size(); ++i) at = child(*at, where[i], bound);
    return at;
}

}  // namespace dynalease::local::expression
