// The difference between what stands in an item and what its writer wants there.
// SPDX-License-Identifier: BSL-1.0
#include "versioned/protocol/version_changes.hpp"

#include "database/protocol/storable.hpp"
#include "item/protocol/item_mark.hpp"
#include "versioned/protocol/member_merge.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace dynalease::protocol {

namespace {

failure refused(errc code, std::string message) {
    failure why(code);
    why.details.message = std::move(message);
    return why;
}

std::string attribute_named(std::string_view name) {
    return "attribute \"" + std::string(name) + "\"";
}

bool has_value(const attribute_value& key) {
    if (const auto* text = key.get_if<std::string>()) return !text->empty();
    if (const auto* bytes = key.get_if<binary>()) return !bytes->empty();
    return key.is<number>();
}

}  // namespace

member_changes merged_members(const item_layout& layout, const member_view& view) {
    auto changes = all_members(layout, view.wanted);
    for (auto& [name, value] : changes.set) {
        const auto* before = find(view.stored, name);
        const auto* seen = find(view.seen, name);
        if (before && seen) value = merged(*before, *seen, value);
    }
    // A NULL, which the writer took for nothing.
    std::erase_if(changes.remove,
                  [&](const auto& name) { return view.stored.contains(name) && !view.seen.contains(name); });
    return changes;
}

member_changes changed_members(const item_layout& layout, const member_view& view) {
    item_members changed;
    for (const auto& [name, value] : view.wanted.present) {
        const auto* seen = find(view.seen, name);
        if (!seen || !(*seen == value)) changed.present.emplace(name, value);
    }
    for (const auto& name : view.wanted.absent) {
        if (view.seen.contains(name)) changed.absent.push_back(name);
    }
    return merged_members(layout, {.stored = view.stored, .seen = view.seen, .wanted = changed});
}

namespace {

using changes_by_attribute = std::map<std::string, std::vector<inner_change>>;

std::size_t names_in(const std::vector<inner_change>& changes) {
    std::size_t count = 0;
    for (const auto& each : changes) count += each.place.size();
    return count;
}

/// @param changes with those attributes still set whole
bool fit(const member_changes& changes, const changes_by_attribute& inside) {
    auto names = changes.set.size() - inside.size() + changes.remove.size();
    std::size_t maps = 0;
    for (const auto& [attribute, each] : inside) {
        names += names_in(each);
        maps += maps_needed(each).size();
    }
    return names <= most_changes && maps <= most_maps;
}

}  // namespace

member_changes narrowed(member_changes changes, const member_view& view) {
    changes_by_attribute inside;
    for (const auto& [name, whole] : changes.set) {
        const auto* stored = find(view.stored, name);
        const auto* seen = find(view.seen, name);
        if (!stored || !seen) continue;
        auto found = changes_inside(name, *stored, *seen, view.wanted.present.at(name));
        if (found) inside.emplace(name, *std::move(found));
    }
    while (!inside.empty() && !fit(changes, inside)) {
        const auto names = [](const auto& each) { return names_in(each.second); };
        inside.erase(std::ranges::max_element(inside, {}, names));
    }
    for (auto& [name, each] : inside) {
        changes.set.erase(name);
        std::ranges::move(each, std::back_inserter(changes.inside));
    }
    return changes;
}

member_changes all_members(const item_layout& layout, const item_members& members) {
    member_changes changes{members.present, members.absent};
    std::erase_if(changes.set, [&](const auto& member) { return is_key(layout, member.first); });
    std::erase_if(changes.remove, [&](const auto& name) { return is_key(layout, name); });
    return changes;
}

member_changes replaced_members(const item_layout& layout, const item& stored, const item_members& members) {
    auto changes = all_members(layout, members);
    for (const auto& [name, value] : stored) {
        if (changes.set.contains(name) || is_key(layout, name) || is_reserved(layout, name)) continue;
        if (std::ranges::find(changes.remove, name) == changes.remove.end()) changes.remove.push_back(name);
    }
    return changes;
}

member_changes no_members(const item_layout& layout, const item& stored) {
    return replaced_members(layout, stored, {});
}

item changed(item stored, const member_changes& changes) {
    for (const auto& [name, value] : changes.set) stored.insert_or_assign(name, value);
    for (const auto& name : changes.remove) stored.erase(name);
    for (const auto& each : changes.inside) change_inside(stored, each);
    return stored;
}

std::size_t size_of(const member_changes& changes) {
    auto size = item_size(changes.set);
    for (const auto& each : changes.inside) {
        if (each.value) size += item_size(item{{each.place.back(), *each.value}});
    }
    return size;
}

std::optional<failure> check_key(const item_layout& layout, const item_key& key) {
    for (const auto* name : {&layout.key, &layout.sort}) {
        if (name->empty()) continue;
        const auto* value = find(key, *name);
        if (!value) return refused(errc::bad_attribute, "the key " + attribute_named(*name) + " is missing");
        if (!has_value(*value)) {
            return refused(errc::bad_attribute,
                           "the key " + attribute_named(*name) + " must be a string, number or binary, and not empty");
        }
        const auto* text = value->get_if<std::string>();
        if (!text || detail::is_utf8(*text)) continue;
        return refused(errc::bad_attribute,
                       "the key " + attribute_named(*name) + " is no UTF-8, and DynamoDB takes no other strings");
    }
    for (const auto& [name, value] : key) {
        if (name.empty()) {
            return refused(errc::bad_attribute,
                           "the key has two values, and the table no sort key: its options' "
                           "sort_key is empty");
        }
        if (!is_key(layout, name)) {
            return refused(errc::bad_attribute,
                           attribute_named(name) + " is no part of the key of table " + layout.table);
        }
    }
    return std::nullopt;
}

bool keeps_key(const item_layout& layout, const item_key& key, const item& members) {
    return std::ranges::all_of(key_of(layout, members), [&](const auto& part) {
        const auto* own = find(key, part.first);
        return own && *own == part.second;
    });
}

namespace {

/// A transaction that is rolled back would take it for the image of no attribute.
std::optional<failure> is_image(const std::string& what) {
    return refused(errc::bad_attribute, what + " is what transactions write for an attribute that was absent");
}

}  // namespace

std::optional<failure> check_change(const item_layout& layout, const update_expression& change) {
    const auto name = reserved_name_in(layout, change);
    if (!name.empty()) {
        return refused(errc::reserved_name, attribute_named(name) + " belongs to the library; update another");
    }
    using enum update_expression::clause;
    for (const auto& action : change.actions(set)) {
        for (const auto& each : action) {
            const auto* value = std::get_if<attribute_value>(&each);
            if (value && *value == absent_image()) return is_image("a value of the update");
        }
    }
    return std::nullopt;
}

std::optional<failure> check_members(const item_layout& layout, const item_members& members) {
    auto no_key = check_key(layout, key_of(layout, members.present));
    if (no_key) return no_key;
    const auto reserved = [&](std::string_view name) {
        const auto ours = attribute_named(name) + " belongs to the library; ";
        return refused(errc::reserved_name,
                       ours + (name == layout.version ? "a member that shows the version is named in item_traits, as "
                                                        "version_member; give one of your own another name"
                                                      : "give yours another name"));
    };
    for (const auto& [name, value] : members.present) {
        if (is_reserved(layout, name)) return reserved(name);
        if (value == absent_image()) return is_image(attribute_named(name));
        const auto empty_set = detail::empty_set_in(value, name);
        if (empty_set.empty()) continue;
        return refused(errc::bad_attribute, attribute_named(empty_set) +
                                                " is an empty set, which cannot be stored; "
                                                "leave it out");
    }
    for (const auto& name : members.absent) {
        if (is_reserved(layout, name)) return reserved(name);
    }
    return check_size(members.present);
}

std::optional<failure> check_size(const item& whole) {
    const auto size = item_size(whole);
    if (size <= detail::largest_item) return std::nullopt;
    return refused(errc::item_too_large, "the item has " + std::to_string(size) + " bytes of at most 409,600; its " +
                                             attribute_named(detail::largest_attribute(whole)) + " is the largest");
}

}  // namespace dynalease::protocol
