// What the service does not store, as far as that can be told without the table.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/item.hpp>

#include <cstddef>
#include <string>

namespace dynalease::detail {

/// Of an item, the names of its attributes included.
inline constexpr std::size_t largest_item = 400 * 1024;

/// What `judge` says first, of a value and of all that is inside of it, outermost first; empty if it says nothing.
/// @param place of the value @param depth of lists and maps around it
template <class Judge>
std::string first_said(const attribute_value& value, const std::string& place, int depth, const Judge& judge) {
    std::string said = judge(value, place, depth);
    const auto* list = value.get_if<attribute_list>();
    for (std::size_t i = 0; list && i < list->size() && said.empty(); ++i) {
        said = first_said((*list)[i], place + "[" + std::to_string(i) + "]", depth + 1, judge);
    }
    if (const auto* map = value.get_if<attribute_map>()) {
        for (const auto& [name, member] : *map) {
            if (!said.empty()) break;
            said = first_said(member, place + "." + name, depth + 1, judge);
        }
    }
    return said;
}

bool is_empty_set(const attribute_value& value) noexcept;

/// The place of an empty set inside a value, such as "tags" or "lines[2].tags"; empty if there is none.
/// @param place of the value
std::string empty_set_in(const attribute_value& value, const std::string& place);

/// The attribute of an item, which is not empty, that takes most of its size.
const std::string& largest_attribute(const item& whole);

}  // namespace dynalease::detail
