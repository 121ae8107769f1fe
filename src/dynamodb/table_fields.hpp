// The fields of requests and responses about tables. The types of key attributes travel apart from the keys, in
// AttributeDefinitions.
#pragma once

#include "dynamodb/json_fields.hpp"

#include <dynalease/dynamodb/operations.hpp>

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dynalease {

inline std::span<const std::string_view> words_of(scalar_type) noexcept {
    static constexpr std::string_view words[] = {"S", "N", "B"};
    return words;
}
inline std::span<const std::string_view> words_of(projection) noexcept {
    static constexpr std::string_view words[] = {"ALL", "KEYS_ONLY", "INCLUDE"};
    return words;
}

}  // namespace dynalease

namespace dynalease::codec {

enum class key_role { hash, range };
inline std::span<const std::string_view> words_of(key_role) noexcept {
    static constexpr std::string_view words[] = {"HASH", "RANGE"};
    return words;
}

struct key_element {
    std::string name;
    key_role role = key_role::hash;
};
void fields(auto& visitor, maybe_const<key_element> auto& element) {
    visitor.required("AttributeName", element.name);
    visitor.required("KeyType", element.role);
}

struct attribute_definition {
    std::string name;
    scalar_type type = scalar_type::s;
};
void fields(auto& visitor, maybe_const<attribute_definition> auto& definition) {
    visitor.required("AttributeName", definition.name);
    visitor.required("AttributeType", definition.type);
}

std::vector<key_element> elements_of(const key_schema& schema);
key_schema schema_of(const std::vector<key_element>& elements);

/// The types of all key attributes of the table and its indexes, each once.
std::vector<attribute_definition> definitions_of(const key_schema& key, std::span<const secondary_index> global_indexes,
                                                 std::span<const secondary_index> local_indexes);
/// Gives each key attribute its type.
/// @throws malformed if one has none.
void assign_types(const std::vector<attribute_definition>& definitions, key_schema& key);

inline void write(json_writer& out, const key_schema& schema) {
    write(out, elements_of(schema));
}
void read(json_input in, key_schema& out);

void fields(auto& visitor, maybe_const<secondary_index> auto& index) {
    visitor.required("IndexName", index.name);
    visitor.required("KeySchema", index.key);
    visitor.nested("Projection", [&index](auto& inner) {
        inner.expected("ProjectionType", index.projected);
        inner.optional("NonKeyAttributes", index.included);
    });
}

/// What a request to create a table and the description of one have in common.
void schema_fields(auto& visitor, auto& table) {
    visitor.required("TableName", table.table_name);
    if constexpr (std::remove_cvref_t<decltype(visitor)>::reading) {
        std::vector<attribute_definition> definitions;
        visitor.optional("AttributeDefinitions", definitions);
        visitor.optional("KeySchema", table.key);
        visitor.optional("GlobalSecondaryIndexes", table.global_indexes);
        visitor.optional("LocalSecondaryIndexes", table.local_indexes);
        assign_types(definitions, table.key);
        for (auto& index : table.global_indexes) assign_types(definitions, index.key);
        for (auto& index : table.local_indexes) assign_types(definitions, index.key);
    } else {
        visitor.required("AttributeDefinitions", definitions_of(table.key, table.global_indexes, table.local_indexes));
        visitor.required("KeySchema", table.key);
        visitor.optional("GlobalSecondaryIndexes", table.global_indexes);
        visitor.optional("LocalSecondaryIndexes", table.local_indexes);
    }
}

void fields(auto& visitor, maybe_const<table_description> auto& table) {
    schema_fields(visitor, table);
    visitor.expected("TableStatus", table.status);
    visitor.expected("ItemCount", table.item_count);
}

void fields(auto& visitor, maybe_const<create_table_request> auto& request) {
    schema_fields(visitor, request);
    visitor.constant("BillingMode", "PAY_PER_REQUEST");
    if constexpr (std::remove_cvref_t<decltype(visitor)>::reading) {
        if (request.key.hash.name.empty()) throw malformed{errc::validation, "names no hash key", "KeySchema"};
    }
}
void fields(auto& visitor, maybe_const<create_table_response> auto& response) {
    visitor.required("TableDescription", response.table);
}
void fields(auto& visitor, maybe_const<describe_table_request> auto& request) {
    visitor.required("TableName", request.table_name);
}
void fields(auto& visitor, maybe_const<describe_table_response> auto& response) {
    visitor.required("Table", response.table);
}
void fields(auto& visitor, maybe_const<delete_table_request> auto& request) {
    visitor.required("TableName", request.table_name);
}
void fields(auto& visitor, maybe_const<delete_table_response> auto& response) {
    visitor.required("TableDescription", response.table);
}
void fields(auto& visitor, maybe_const<list_tables_request> auto& request) {
    visitor.optional("ExclusiveStartTableName", request.exclusive_start_table_name);
    visitor.optional("Limit", request.limit);
}
void fields(auto& visitor, maybe_const<list_tables_response> auto& response) {
    visitor.expected("TableNames", response.table_names);
    visitor.optional("LastEvaluatedTableName", response.last_evaluated_table_name);
}
void fields(auto& visitor, maybe_const<update_time_to_live_request> auto& request) {
    visitor.required("TableName", request.table_name);
    visitor.nested("TimeToLiveSpecification", [&request](auto& inner) {
        inner.required("AttributeName", request.attribute_name);
        inner.required("Enabled", request.enabled);
    });
}
/// The service repeats the request here, which tells nothing.
void fields(auto&, maybe_const<update_time_to_live_response> auto&) {}
void fields(auto& visitor, maybe_const<describe_time_to_live_request> auto& request) {
    visitor.required("TableName", request.table_name);
}
void fields(auto& visitor, maybe_const<describe_time_to_live_response> auto& response) {
    visitor.nested("TimeToLiveDescription", [&response](auto& inner) {
        inner.expected("TimeToLiveStatus", response.status);
        inner.optional("AttributeName", response.attribute_name);
    });
}

}  // namespace dynalease::codec
