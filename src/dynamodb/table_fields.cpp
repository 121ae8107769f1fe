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

std::vector<attribute_definition> definitions_of(const key_schema& key, std::span<const secondary_index> global_indexes,
                                                 std::span<const secondary_index> local_indexes) {
    std::vector<attribute_definition> definitions;
    const auto add = [&definitions](const key_attribute& attribute) {
        const bool is_known =
            std::ranges::find(definitions, attribute.name, &attribute_definition::name) != definitions.end();
        if (!is_known) definitions.push_back({attribute.name, attribute.type});
    };
    const auto add_both = [&add](const key_schema& schema) {
        add(schema.hash);
        if (schema.range) add(*schema.range);
    };
    add_both(key);
    for (const auto& index : global_indexes) add_both(index.key);
    for (const auto& index : local_indexes) add_both(index.key);
    return definitions;
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
