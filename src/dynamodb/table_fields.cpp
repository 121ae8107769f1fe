// Key schemas and the definitions of their attributes.
// SPDX-License-Identifier: BSL-1.0
#include "dynamodb/table_fields.hpp"

#include "dynamodb/key_parts.hpp"

#include <algorithm>

namespace dynalease::codec {

std::vector<key_element> elements_of(const key_schema& schema) {
    std::vector<key_element> elements;
    each_hash(schema, [&](const key_attribute& each) { elements.push_back({each.name, key_role::hash}); });
    each_range(schema, [&](const key_attribute& each) { elements.push_back({each.name, key_role::range}); });
    return elements;
}

key_schema schema_of(const std::vector<key_element>& elements) {
    const bool in_order =
        !elements.empty() && elements.front().role == key_role::hash &&
        std::ranges::is_partitioned(elements, [](const key_element& each) { return each.role == key_role::hash; });
    if (!in_order) throw malformed{errc::validation, "must be HASH elements and then RANGE elements"};
    key_schema schema;
    schema.hash.name = elements.front().name;
    for (std::size_t i = 1; i < elements.size(); ++i) {
        if (elements[i].role == key_role::hash) {
            schema.more_hash.push_back({elements[i].name});
        } else if (!schema.range) {
            schema.range.emplace().name = elements[i].name;
        } else {
            schema.more_range.push_back({elements[i].name});
        }
    }
    return schema;
}

void read(json_input in, key_schema& out) {
    std::vector<key_element> elements;
    read(in, elements);
    out = schema_of(elements);
}

void definition_list::add(const key_attribute& attribute) {
    const bool is_known =
        std::ranges::find(definitions_, attribute.name, &attribute_definition::name) != definitions_.end();
    if (!is_known && !attribute.name.empty()) definitions_.push_back({attribute.name, attribute.type});
}

void definition_list::add(const key_schema& key) {
    each_part(key, [this](const key_attribute& each) { add(each); });
}

void assign_types(const std::vector<attribute_definition>& definitions, key_schema& key) {
    const auto assign = [&definitions](key_attribute& attribute) {
        const auto found = std::ranges::find(definitions, attribute.name, &attribute_definition::name);
        if (found == definitions.end()) {
            throw malformed{errc::validation, "does not define the key attribute \"" + attribute.name + "\"",
                            "AttributeDefinitions"};
        }
        attribute.type = found->type;
    };
    if (key.hash.name.empty()) return;  // a table that is being deleted is described by its name alone
    each_part(key, assign);
}

}  // namespace dynalease::codec
