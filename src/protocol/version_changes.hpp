// Which attributes a versioned write sets and removes.
#pragma once

#include "protocol/item_attributes.hpp"

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/item_members.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::protocol {

/// More than this in one request would not fit into 4 KB of expression.
inline constexpr std::size_t most_changes = 250;

struct member_changes {
    item set{};
    std::vector<std::string> remove{};

    std::size_t size() const { return set.size() + remove.size(); }
};

/// Only what differs from the stored form. Attributes that the writer does not know stay.
member_changes changed_members(const item_layout& layout, const item& stored, const item_members& members);
/// All that the writer knows.
member_changes all_members(const item_layout& layout, const item_members& members);
/// All that the writer knows; what else is stored goes, but for the key and what is ours.
member_changes replaced_members(const item_layout& layout, const item& stored, const item_members& members);
/// Everything goes but the key and what is ours.
member_changes no_members(const item_layout& layout, const item& stored);

/// The item as the changes leave it.
item changed(item stored, const member_changes& changes);

/// What the service would refuse, or what would break the protocol, told before anything is sent and by name: a key
/// attribute that is missing or has no value, an attribute of ours, an empty set, an item that is too large.
std::optional<failure> check_members(const item_layout& layout, const item_members& members);
std::optional<failure> check_key(const item_layout& layout, const item_key& key);

}  // namespace dynalease::protocol
