// Where a page goes on: starting keys.
// SPDX-License-Identifier: BSL-1.0
#include "local/operations/source.hpp"

#include "dynamodb/key_parts.hpp"
#include "local/values/refusal.hpp"

#include <set>
#include <string_view>

namespace dynalease::local {

namespace {

void check_start(const key_schema& schema, const item_key& start) {
    each_part(schema, [&](const key_attribute& part) {
        const auto* value = find(start, part.name);
        if (!value || !has_type(*value, part.type) || is_empty(*value)) {
            refuse("The provided starting key is invalid: The provided key element does not match the schema");
        }
    });
}

item_key joined_key(const key_schema& table, const key_schema& index, const item& whole) {
    item_key key = key_of(table, whole);
    key.merge(key_of(index, whole));
    return key;
}

}  // namespace

row_key table_source::position_of(const item_key& start) const {
    check_start(key(), start);
    return encode_key(key(), start);
}

std::size_t index_source::start_size() const {
    std::set<std::string_view> names;
    for (const key_schema* schema : {&table_.key(), &index_.key()}) {
        each_part(*schema, [&](const key_attribute& part) { names.insert(part.name); });
    }
    return names.size();
}

index_key index_source::position_of(const item_key& start) const {
    check_start(table_.key(), start);
    return {encode_key(index_.key(), start), encode_key(table_.key(), start)};
}

item_key index_source::start_after(const row& last) const {
    return joined_key(table_.key(), index_.key(), last.attributes);
}

}  // namespace dynalease::local
