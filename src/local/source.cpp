// Where a page goes on: starting keys.
#include "local/source.hpp"

#include "local/refusal.hpp"

namespace dynalease::local {

namespace {

[[noreturn]] void refuse_start(const std::string& why) {
    refuse("The provided starting key is invalid" + why);
}

void check_start(const key_schema& schema, const item_key& start) {
    for (const key_attribute* part : {&schema.hash, schema.range ? &*schema.range : nullptr}) {
        if (!part) continue;
        const auto* value = find(start, part->name);
        if (!value) refuse_start({});
        if (!has_type(*value, part->type) || is_empty(*value)) {
            refuse_start(": The provided key element does not match the schema");
        }
    }
}

item_key joined_key(const key_schema& table, const key_schema& index, const item& whole) {
    item_key key = key_of(table, whole);
    key.merge(key_of(index, whole));
    return key;
}

}  // namespace

row_key table_source::position_of(const item_key& start) const {
    if (start.size() != (key().range ? 2U : 1U)) {
        refuse_start(": The provided key element does not match the schema");
    }
    check_start(key(), start);
    return encode_key(key(), start);
}

index_key index_source::position_of(const item_key& start) const {
    check_start(index_.key(), start);
    check_start(table_.key(), start);
    if (joined_key(table_.key(), index_.key(), start).size() != start.size()) refuse_start({});
    return {encode_key(index_.key(), start), encode_key(table_.key(), start)};
}

item_key index_source::start_after(const row& last) const {
    return joined_key(table_.key(), index_.key(), last.attributes);
}

}  // namespace dynalease::local
