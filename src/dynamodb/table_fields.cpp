// Key schemas and the definitions of their attributes.
#include "dynamodb/table_fields.hpp"

#include <algorithm>

namespace dynalease::codec {

std::vector<key_element> elements_of(const key_schema& schema) {
    std::vector<key_element> elements{{schema.hash.name, key_role::hash}};
    if (schema.range) elements.push_back({schema.range->name, key_role::range});
    return elements;
}

key_schema schema_of(const std::vector<key_element>& elements) {
    const bool in_order = !elements.empty() && elements.size() <= 2 && elements.front().role == key_role::hash &&
                          (elements.size() == 1 || elements.back().role == key_role::range);
    if (!in_order) throw malformed{errc::validation, "must be a HASH element and at most one RANGE element after it"};
    key_schema schema;
    schema.hash.name = elements.front().name;
    if (elements.size() == 2) schema.range.emplace().name = elements.back().name;
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
    add(key.hash);
    if (key.range) add(*key.range);
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
    assign(key.hash);
    if (key.range) assign(*key.range);
}

}  // namespace dynalease::codec
