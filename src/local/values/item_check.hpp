// What an attribute value must be before it is kept, and the form it is kept in.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/item.hpp>
#include <dynalease/dynamodb/operations.hpp>

#include <cstddef>
#include <string_view>

namespace dynalease::local {

inline constexpr std::size_t largest_item = 400 * 1024;

[[noreturn]] void refuse_updated_size();

/// Refuses an attribute's name that is empty or beyond 65535 bytes.
void check_name(std::string_view name);
/// Refuses more than 31 lists and maps in one another.
void check_depth(const attribute_map& values);
/// Refuses such names first, then such depths, then empty sets and empty names within.
void check_values(const attribute_map& values);

/// Brings every number to the text DynamoDB gives back: 1.0 and 1E0 become 1.
void normalise_numbers(attribute_map& values);

}  // namespace dynalease::local
