// Where inside of an attribute a writer changed something: what is written there leaves alone what stands beside it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/item.hpp>

#include <optional>
#include <string>
#include <vector>

namespace dynalease::protocol {

/// The attribute, and the members on the way down from it. Each but the last is a map.
using inner_place = std::vector<std::string>;

struct inner_change {
    inner_place place{};
    std::optional<attribute_value> value{};  ///< empty: what stands there goes
};

/// What makes `merged(stored, seen, wanted)` of the attribute as it is stored (member_merge.hpp). The way down leads
/// through maps that are stored, were seen and are wanted; it ends at a list, for the number of an element does not say
/// which one it is. Empty: the attribute is no such map, and can only be written whole.
std::optional<std::vector<inner_change>> changes_inside(const std::string& attribute, const attribute_value& stored,
                                                        const attribute_value& seen, const attribute_value& wanted);

/// The maps that must be there for such changes, each the last one of its way: the service refuses them otherwise, as
/// malformed.
std::vector<inner_place> maps_needed(const std::vector<inner_change>& changes);
/// Whether the item has them.
bool has_maps(const item& shown, const std::vector<inner_change>& changes);

/// The item as the change leaves it. The maps must be there.
void change_inside(item& stored, const inner_change& change);

}  // namespace dynalease::protocol
