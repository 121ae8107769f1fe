// An item and its primary key.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/attribute_value.hpp>
#include <dynalease/dynamodb/json.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace dynalease {

/// Attribute names to values. A sorted map, so that the same item always encodes to the same bytes.
using item = attribute_map;

/// The key attributes of an item: one (hash) or two (hash and range).
using item_key = attribute_map;

/// The attribute, or a null pointer.
const attribute_value* find(const item& attributes, std::string_view name) noexcept;
/// The string attribute of that name, or a null pointer when it is absent or of another type.
const std::string* find_string(const item& attributes, std::string_view name) noexcept;
/// The integral number attribute of that name; empty when absent, of another type, or not integral.
std::optional<std::int64_t> find_integer(const item& attributes, std::string_view name) noexcept;

/// The size by DynamoDB's rule (names count); at most 409,600 bytes are stored.
std::size_t item_size(const item& attributes) noexcept;

}  // namespace dynalease
#pragma GCC visibility pop
