// Names of the attributes of ours, and the placeholders that stand for them.
// SPDX-License-Identifier: BSL-1.0
#include "item/protocol/item_attributes.hpp"

#include <array>
#include <set>
#include <utility>

namespace dynalease::protocol {

namespace {

std::set<std::string, std::less<>> placeholders_in(std::string_view text) {
    std::set<std::string, std::less<>> found;
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    for (auto at = text.find('#'); at != text.npos; at = text.find('#', at + 1)) {
        auto end = text.find_first_not_of(letters, at + 1);
        if (end == text.npos) end = text.size();
        found.emplace(text.substr(at, end - at));
    }
    return found;
}

}  // namespace

std::string goes_by_name(const item_layout& layout, attribute_values& values) {
    if (!layout.names_version()) return "attribute_not_exists(#by)";
    values.emplace(":by", layout.version);
    // Who gives an item a birth gives it its version, too.
    return "(#by = :by OR (attribute_not_exists(#by) AND attribute_not_exists(#born)))";
}

bool is_reserved(const item_layout& layout, std::string_view name) {
    return name == layout.version || name == layout.stamp || name == item_attribute::born ||
           name == item_attribute::trail || name == item_attribute::gone || name == item_attribute::versioned_by ||
           name.starts_with(layout.lock_prefix) || name.starts_with(item_attribute::transaction_prefix);
}

std::string reserved_name_in(const item_layout& layout, const update_expression& update) {
    using enum update_expression::clause;
    for (const auto clause : {set, remove, add, delete_from}) {
        for (const auto& action : update.actions(clause)) {
            // The target comes first; the values of an assignment may read what they like.
            const auto* target = action.empty() ? nullptr : std::get_if<detail::name_fragment>(&action.front());
            if (target && is_reserved(layout, target->name)) return target->name;
        }
    }
    return {};
}

item_key key_of(const item_layout& layout, const item& attributes) {
    item_key key;
    for (const auto* name : {&layout.key, &layout.sort}) {
        if (const auto found = attributes.find(*name); found != attributes.end()) key.insert(*found);
    }
    return key;
}

bool is_key(const item_layout& layout, std::string_view name) {
    return name == layout.key || (!layout.sort.empty() && name == layout.sort);
}

std::string text_of(const item_key& key) {
    std::string text;
    for (const auto& [name, value] : key) {
        if (!text.empty()) text += '/';
        if (const auto* string = value.get_if<std::string>()) text += *string;
        if (const auto* number = value.get_if<dynalease::number>()) text += number->text();
        if (const auto* bytes = value.get_if<binary>()) text += std::to_string(bytes->size()) + " bytes";
    }
    return text;
}

bool refuses_key(const failure& why) {
    return why.code == errc::validation && why.details.advice.empty() &&
           why.details.message.find("key") != std::string::npos;
}

void explain_key(failure& why, const item_key& named) {
    if (!refuses_key(why)) return;
    std::string words;
    for (const auto& [name, value] : named) {
        if (!words.empty()) words += " and ";
        words += "\"" + name + "\" (" + std::string(value.type_name()) + ")";
    }
    why.details.advice = "see whether the table's key is " + words + ", as it was named";
}

void keep_used_names(const item_layout& layout, attribute_names& names, std::string_view update,
                     std::string_view condition) {
    auto used = placeholders_in(update);
    used.merge(placeholders_in(condition));
    const std::array<std::pair<const char*, std::string>, 13> ours{{{"#k", layout.key},
                                                                    {"#ver", layout.version},
                                                                    {"#by", item_attribute::versioned_by},
                                                                    {"#born", item_attribute::born},
                                                                    {"#stamp", layout.stamp},
                                                                    {"#trail", item_attribute::trail},
                                                                    {"#gone", item_attribute::gone},
                                                                    {"#ttl", layout.time_to_live},
                                                                    {"#W", layout.writer()},
                                                                    {"#R", layout.readers()},
                                                                    {"#I", layout.intent()},
                                                                    {"#F", layout.floor()},
                                                                    {"#tx", item_attribute::transaction}}};
    for (const auto& [placeholder, name] : ours) {
        if (used.contains(placeholder)) names.emplace(placeholder, name);
    }
    std::erase_if(names, [&](const auto& entry) { return !used.contains(entry.first); });
}

}  // namespace dynalease::protocol
