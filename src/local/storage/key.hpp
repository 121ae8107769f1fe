// Where an item lies in its table: encoded keys that compare as DynamoDB sorts, and what a key must be.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/operations.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dynalease::local {

/// Items of one hash key lie together, ordered by range key; hash keys are scattered as DynamoDB scatters them.
struct row_key {
    std::uint64_t slot = 0;
    std::string hash{};
    std::string range{};

    friend auto operator<=>(const row_key&, const row_key&) = default;
};

/// A key attribute's value as bytes that sort as the value does. Needs a string, number or binary.
std::string encode_key_value(const attribute_value& value);
/// The same for one of several attributes of a hash or range key, put after those before it: so that the next counts
/// only where this is equal. No value's bytes are the beginning of another's, and they end in a zero.
void append_key_value(std::string& key, const attribute_value& value);
/// What the bytes of all strings or binaries have in common that begin with this one.
void append_key_prefix(std::string& key, const attribute_value& prefix);
row_key encode_key(const key_schema& schema, const item& attributes);
/// Before all items of a hash key.
row_key hash_key(std::string encoded);

bool has_type(const attribute_value& value, scalar_type type) noexcept;
std::string_view name_of(scalar_type type) noexcept;

/// Refuses anything but exactly the key attributes, each of its type, not empty, within its size.
void check_key(const key_schema& schema, const item_key& key);
/// The same for one of them.
void check_key_part(const key_attribute& attribute, const item_key& key, bool is_hash);
/// The same for one of a starting key, with words of its own where it is not there.
void check_start_part(const key_attribute& attribute, const item_key& start, bool is_hash);
/// Refuses an item that lacks a key attribute of its type, in the words for a key.
void check_key_present(const key_schema& schema, const item& whole);
/// The same as `check_key` for the key attributes of a whole item, in the words for an item.
void check_item_key(const key_schema& schema, const item& whole);

/// Whether it is a string or binary of no bytes.
bool is_empty(const attribute_value& value) noexcept;
/// Refuses such a value of a key, which a condition of a key may not have either.
void check_not_empty(const key_attribute& attribute, const attribute_value& value);
/// The bytes of all hash attributes that are there; numbers count as one.
std::size_t hash_bytes(const key_schema& schema, const item& whole);
std::size_t range_bytes(const key_schema& schema, const item& whole);
/// Whether it is a hash key beyond 2048 bytes, or a range key beyond 1024.
bool is_too_long(std::size_t bytes, bool is_hash) noexcept;
void check_key_length(std::size_t bytes, bool is_hash);

/// The key attributes of an item.
item_key key_of(const key_schema& schema, const item& whole);

}  // namespace dynalease::local
