// Keys: checks and encodings.
// SPDX-License-Identifier: BSL-1.0
#include "local/storage/key.hpp"

#include "dynamodb/key_parts.hpp"
#include "local/storage/hash_order.hpp"
#include "local/storage/number_key.hpp"
#include "local/values/refusal.hpp"

#include <array>
#include <utility>

namespace dynalease::local {

namespace {

constexpr std::size_t longest_hash = 2048;
constexpr std::size_t longest_range = 1024;

std::size_t byte_length(const attribute_value& value) {
    if (const auto* text = value.get_if<std::string>()) return text->size();
    if (const auto* bytes = value.get_if<binary>()) return bytes->size();
    return 1;
}

void check_length(const key_attribute& attribute, const attribute_value& value, bool is_hash) {
    check_not_empty(attribute, value);
    check_key_length(byte_length(value), is_hash);
}

/// Every zero becomes two bytes, the second of them not zero: two zeros are then an end that comes before all else.
std::string escaped(std::string bytes) {
    for (auto at = bytes.find('\0'); at != std::string::npos; at = bytes.find('\0', at + 2)) {
        bytes.insert(at + 1, 1, static_cast<char>(0xff));
    }
    return bytes;
}

std::size_t length_in(const item& whole, const key_attribute& attribute) {
    const auto* value = find(whole, attribute.name);
    return value ? byte_length(*value) : 0;
}

void check_item_part(const key_attribute& attribute, const item& whole, bool is_hash) {
    const auto* value = find(whole, attribute.name);
    if (!value) {
        refuse("One or more parameter values were invalid: Missing the key " + attribute.name + " in the item");
    }
    if (!has_type(*value, attribute.type)) {
        refuse("One or more parameter values were invalid: Type mismatch for key " + attribute.name +
               " expected: " + std::string(name_of(attribute.type)) + " actual: " + std::string(value->type_name()));
    }
    check_length(attribute, *value, is_hash);
}

}  // namespace

bool is_empty(const attribute_value& value) noexcept {
    return byte_length(value) == 0;
}

void check_not_empty(const key_attribute& attribute, const attribute_value& value) {
    if (!is_empty(value)) return;
    refuse_whole_request(
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty " +
        std::string(attribute.type == scalar_type::s ? "string" : "binary") + " value. Key: " + attribute.name);
}

std::size_t hash_bytes(const key_schema& schema, const item& whole) {
    std::size_t bytes = 0;
    each_hash(schema, [&](const key_attribute& each) { bytes += length_in(whole, each); });
    return bytes;
}

std::size_t range_bytes(const key_schema& schema, const item& whole) {
    std::size_t bytes = 0;
    each_range(schema, [&](const key_attribute& each) { bytes += length_in(whole, each); });
    return bytes;
}

bool is_too_long(std::size_t bytes, bool is_hash) noexcept {
    return bytes > (is_hash ? longest_hash : longest_range);
}

void check_key_length(std::size_t bytes, bool is_hash) {
    if (!is_too_long(bytes, is_hash)) return;
    refuse(is_hash ? "One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit "
                     "of2048 bytes"
                   : "One or more parameter values were invalid: Aggregated size of all range keys has exceeded the "
                     "size limit of 1024 bytes");
}

std::string encode_key_value(const attribute_value& value) {
    if (const auto* text = value.get_if<std::string>()) return *text;
    if (const auto* bytes = value.get_if<binary>()) {
        return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
    }
    return sortable_bytes(*value.get_if<number>());
}

void append_key_prefix(std::string& key, const attribute_value& prefix) {
    key += escaped(encode_key_value(prefix));
}

void append_key_value(std::string& key, const attribute_value& value) {
    append_key_prefix(key, value);
    key.append(2, '\0');
}

row_key hash_key(std::string encoded) {
    row_key result;
    result.slot = hash_order(encoded);
    result.hash = std::move(encoded);
    return result;
}

row_key encode_key(const key_schema& schema, const item& attributes) {
    const auto value = [&](const key_attribute& each) -> const attribute_value& {
        return *find(attributes, each.name);
    };
    std::string hash;
    if (schema.more_hash.empty()) {
        hash = encode_key_value(value(schema.hash));
    } else {
        each_hash(schema, [&](const key_attribute& each) { append_key_value(hash, value(each)); });
    }
    row_key result = hash_key(std::move(hash));
    if (schema.more_range.empty()) {
        if (schema.range) result.range = encode_key_value(value(*schema.range));
    } else {
        each_range(schema, [&](const key_attribute& each) { append_key_value(result.range, value(each)); });
    }
    return result;
}

bool has_type(const attribute_value& value, scalar_type type) noexcept {
    switch (type) {
        case scalar_type::s:
            return value.is<std::string>();
        case scalar_type::n:
            return value.is<number>();
        case scalar_type::b:
            return value.is<binary>();
    }
    return false;
}

std::string_view name_of(scalar_type type) noexcept {
    constexpr std::array<std::string_view, 3> names{"S", "N", "B"};
    return names[static_cast<std::size_t>(type)];
}

void check_key_part(const key_attribute& attribute, const item_key& key, bool is_hash) {
    const auto* value = find(key, attribute.name);
    if (!value || !has_type(*value, attribute.type)) refuse("The provided key element does not match the schema");
    check_length(attribute, *value, is_hash);
}

void check_start_part(const key_attribute& attribute, const item_key& start, bool is_hash) {
    if (!start.contains(attribute.name)) refuse("The provided starting key is invalid");
    check_key_part(attribute, start, is_hash);
}

void check_key(const key_schema& schema, const item_key& key) {
    if (key.size() != (schema.range ? 2U : 1U)) refuse("The provided key element does not match the schema");
    check_key_part(schema.hash, key, true);
    if (schema.range) check_key_part(*schema.range, key, false);
}

void check_key_present(const key_schema& schema, const item& whole) {
    for (const key_attribute* part : {&schema.hash, schema.range ? &*schema.range : nullptr}) {
        const auto* value = part ? find(whole, part->name) : nullptr;
        if (part && (!value || !has_type(*value, part->type))) {
            refuse("The provided key element does not match the schema");
        }
    }
}

void check_item_key(const key_schema& schema, const item& whole) {
    check_item_part(schema.hash, whole, true);
    if (schema.range) check_item_part(*schema.range, whole, false);
}

item_key key_of(const key_schema& schema, const item& whole) {
    item_key key;
    each_part(schema, [&](const key_attribute& each) { key.emplace(each.name, *find(whole, each.name)); });
    return key;
}

}  // namespace dynalease::local
