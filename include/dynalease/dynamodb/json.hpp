// Items and values as the JSON of DynamoDB's protocol and tools: {"id":{"S":"42"},"visits":{"N":"7"}}.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/attribute_value.hpp>

#include <concepts>
#include <iosfwd>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace dynalease {

/// An item, a key, or where a page ended, in one line; attributes stand in the order of their names, so that the same
/// item always gives the same text. For logs and tools, and for the token of a page that goes to a client of one's own
/// service and comes back: `item_from_json` reads it.
std::string to_json(const attribute_map& attributes);
/// The same of one value: {"S":"42"}.
std::string to_json(const attribute_value& value);

/// What `to_json` wrote, or another who speaks DynamoDB's JSON: the AWS CLI's "Item", "Key" and "LastEvaluatedKey".
/// @throws dynalease::error with `errc::bad_attribute` for what is no such item, or is larger than 16 MiB; its message
/// names the place.
attribute_map item_from_json(std::string_view text);

/// `log << item` writes `to_json(item)`.
template <class Traits, std::same_as<attribute_map> Item>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, const Item& attributes) {
    return out << to_json(attributes);
}
/// ... and so does a value.
template <class Traits, std::same_as<attribute_value> Value>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, const Value& value) {
    return out << to_json(value);
}

}  // namespace dynalease
#pragma GCC visibility pop
