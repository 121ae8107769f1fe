// Which attributes a versioned write sets and removes.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item/protocol/item_attributes.hpp"
#include "versioned/protocol/inner_changes.hpp"

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/item/item_members.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::protocol {

/// More than this in one request would not fit into 4 KB of expression. A change inside of an attribute counts as many
/// as its place has names.
inline constexpr std::size_t most_changes = 250;
/// Maps whose presence one request tests: beside them a KB is left to the caller's own condition.
inline constexpr std::size_t most_maps = 50;

struct member_changes {
    item set{};
    std::vector<std::string> remove{};
    std::vector<inner_change> inside{};  ///< of attributes that are neither set nor removed

    std::size_t size() const { return set.size() + remove.size() + inside.size(); }
};

/// What a writer knows, and what it saw of that in the stored item.
struct member_view {
    const item& stored;
    const item& seen;  ///< as the writer would store it again; less than what is stored, and perhaps less exact
    const item_members& wanted;
};
/// Only what the writer changed, put into what is stored: what it cannot see stays, inside maps and lists too.
member_changes changed_members(const item_layout& layout, const member_view& view);
/// The same changes, as deep inside the attributes as they go: what others have put beside them since stays, too.
/// Where that is too much for one request, the attributes with most of them are set whole, as they were.
/// @param changes by `changed_members` of the same view
member_changes narrowed(member_changes changes, const member_view& view);
/// All that the writer knows, put into what is stored.
member_changes merged_members(const item_layout& layout, const member_view& view);
/// All that the writer knows, in place of what is stored.
member_changes all_members(const item_layout& layout, const item_members& members);
/// All that the writer knows; what else is stored goes, but for the key and what is ours.
member_changes replaced_members(const item_layout& layout, const item& stored, const item_members& members);
/// Everything goes but the key and what is ours.
member_changes no_members(const item_layout& layout, const item& stored);

/// The item as the changes leave it.
item changed(item stored, const member_changes& changes);
/// What they bring along, in bytes.
std::size_t size_of(const member_changes& changes);

/// What the service would refuse, or what would break the protocol, told before anything is sent and by name: a key
/// attribute that is missing or has no value, an attribute of ours, an empty set, an item that is too large.
std::optional<failure> check_members(const item_layout& layout, const item_members& members);
std::optional<failure> check_change(const item_layout& layout, const update_expression& change);
std::optional<failure> check_size(const item& whole);
/// Whether what the members say of the key, if anything, is this key.
bool keeps_key(const item_layout& layout, const item_key& key, const item& members);
std::optional<failure> check_key(const item_layout& layout, const item_key& key);

}  // namespace dynalease::protocol
