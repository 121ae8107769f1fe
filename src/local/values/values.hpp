// What DynamoDB does with values: order, containment, size, arithmetic.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/attribute_value.hpp>

#include <compare>
#include <cstddef>
#include <optional>

namespace dynalease::local {

/// Strings by UTF-8 bytes, numbers by value, binaries by unsigned bytes; empty for anything else, and for two types.
std::optional<std::strong_ordering> order(const attribute_value& left, const attribute_value& right);

/// What it costs to look through a value, in steps of an `allowance`.
std::size_t steps_through(const attribute_value& value);

bool begins_with(const attribute_value& whole, const attribute_value& prefix);
bool contains(const attribute_value& whole, const attribute_value& part);

/// Bytes of a string or binary, elements of a set, list or map; empty for the types without a size.
std::optional<std::size_t> size_of(const attribute_value& value);

/// Exact to 38 digits. Refuses a result that DynamoDB cannot keep.
number add(const number& left, const number& right);
number subtract(const number& left, const number& right);

}  // namespace dynalease::local
