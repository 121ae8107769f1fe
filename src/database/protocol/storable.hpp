// What the service does not store, as far as that can be told without the table.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/item.hpp>

#include <cstddef>
#include <string>

namespace dynalease::detail {

/// Of an item, the names of its attributes included.
inline constexpr std::size_t largest_item = 400 * 1024;

/// The place of an empty set inside a value, such as "tags" or "lines[2].tags"; empty if there is none.
/// @param place of the value
std::string empty_set_in(const attribute_value& value, const std::string& place);

/// The attribute of an item, which is not empty, that takes most of its size.
const std::string& largest_attribute(const item& whole);

}  // namespace dynalease::detail
