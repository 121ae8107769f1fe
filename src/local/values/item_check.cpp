// Checks of attribute values, recursive to a bounded depth.
// SPDX-License-Identifier: BSL-1.0
#include "local/values/item_check.hpp"

#include "dynamodb/decimal.hpp"
#include "local/values/refusal.hpp"

#include <algorithm>

namespace dynalease::local {

namespace {

/// How many lists and maps may lie in one another.
constexpr std::size_t deepest_value = 31;

bool is_too_deep(const attribute_value& value, std::size_t left) {
    if (const auto* list = value.get_if<attribute_list>()) {
        return left == 0 || std::ranges::any_of(*list, [&](const auto& each) { return is_too_deep(each, left - 1); });
    }
    if (const auto* map = value.get_if<attribute_map>()) {
        return left == 0 ||
               std::ranges::any_of(*map, [&](const auto& each) { return is_too_deep(each.second, left - 1); });
    }
    return false;
}

template <class Set>
void refuse_empty(const Set& set, const char* kind) {
    if (set.empty()) {
        refuse(std::string("One or more parameter values were invalid: An ") + kind + " set  may not be empty");
    }
}

struct value_check {
    void operator()(const attribute_list& list) const {
        for (const auto& each : list) std::visit(*this, each.get());
    }
    void operator()(const attribute_map& map) const {
        for (const auto& [name, each] : map) {
            if (name.empty()) refuse("Empty attribute name");
            std::visit(*this, each.get());
        }
    }
    void operator()(const string_set& set) const { refuse_empty(set, "string"); }
    void operator()(const number_set& set) const { refuse_empty(set, "number"); }
    void operator()(const binary_set& set) const { refuse_empty(set, "binary"); }
    void operator()(const auto&) const {}
};

/// Most numbers are plain integers, and need no second look.
bool is_plain(const number& value) {
    std::string_view text = value.text();
    if (text == "0") return true;
    if (text.starts_with('-')) text.remove_prefix(1);
    return !text.empty() && text.front() != '0' &&
           std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

struct normalisation {
    void operator()(number& value) const {
        if (!is_plain(value)) value = decimal::of(value).to_number();
    }
    void operator()(attribute_list& list) const {
        for (auto& each : list) std::visit(*this, each.get());
    }
    void operator()(attribute_map& map) const {
        for (auto& [name, each] : map) std::visit(*this, each.get());
    }
    void operator()(number_set& set) const {
        if (std::ranges::all_of(set, is_plain)) return;
        number_set plain;
        for (number each : set) {
            (*this)(each);
            plain.insert(std::move(each));
        }
        set = std::move(plain);
    }
    void operator()(auto&) const {}
};

}  // namespace

void refuse_updated_size() {
    refuse("Item size to update has exceeded the maximum allowed size");
}

void normalise_numbers(attribute_map& values) {
    normalisation{}(values);
}

void check_name(std::string_view name) {
    constexpr std::size_t longest = 65'535;
    if (name.empty()) refuse("Empty attribute name");
    if (name.size() > longest) {
        refuse("One or more parameter values were invalid: Attribute name is too large, must be less than 65536 bytes");
    }
}

void check_depth(const attribute_map& values) {
    if (std::ranges::any_of(values, [](const auto& each) { return is_too_deep(each.second, deepest_value); })) {
        refuse(
            "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond "
            "supported limit");
    }
}

void check_values(const attribute_map& values) {
    for (const auto& [name, value] : values) check_name(name);
    check_depth(values);
    for (const auto& [name, value] : values) std::visit(value_check{}, value.get());
}

}  // namespace dynalease::local
