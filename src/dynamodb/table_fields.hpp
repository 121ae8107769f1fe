// The fields of requests and responses about tables. The types of key attributes travel apart from the keys, in
// AttributeDefinitions.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "dynamodb/tag_fields.hpp"

#include <dynalease/dynamodb/operations.hpp>

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#pragma GCC visibility push(default)  // dynalease::local or dynalease::testing uses it, too
namespace dynalease {

inline std::span<const std::string_view> words_of(scalar_type) noexcept {
    static constexpr std::string_view words[] = {"S", "N", "B"};
    return words;
}
inline std::span<const std::string_view> words_of(projection) noexcept {
    static constexpr std::string_view words[] = {"ALL", "KEYS_ONLY", "INCLUDE"};
    return words;
}
inline std::span<const std::string_view> words_of(billing_mode) noexcept {
    static constexpr std::string_view words[] = {"PAY_PER_REQUEST", "PROVISIONED"};
    return words;
}
inline std::span<const std::string_view> words_of(stream_view) noexcept {
    static constexpr std::string_view words[] = {"KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES"};
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

/// Every key attribute of the table and its indexes, each once.
class definition_list {
public:
    void add(const key_schema& key);
    template <class Indexes>
    void add_all(const Indexes& indexes) {
        for (const auto& index : indexes) add(index.key);
    }
    const std::vector<attribute_definition>& all() const noexcept { return definitions_; }

private:
    void add(const key_attribute& attribute);

    std::vector<attribute_definition> definitions_;
};

/// Gives each key attribute its type.
/// @throws malformed if one has none.
void assign_types(const std::vector<attribute_definition>& definitions, key_schema& key);

inline void write(json_writer& out, const key_schema& schema) {
    write(out, elements_of(schema));
}
void read(json_input in, key_schema& out);

void fields(auto& visitor, maybe_const<throughput> auto& units) {
    visitor.expected("ReadCapacityUnits", units.read_units);
    visitor.expected("WriteCapacityUnits", units.write_units);
}

void describe_throughput(auto& visitor, auto& units) {
    visitor.nested("ProvisionedThroughput", [&units](auto& inner) {
        inner.required("NumberOfDecreasesToday", std::int64_t{0});
        fields(inner, units);
    });
}

void index_fields(auto& visitor, auto& index) {
    visitor.required("IndexName", index.name);
    visitor.required("KeySchema", index.key);
    visitor.nested("Projection", [&index](auto& inner) {
        inner.expected("ProjectionType", index.projected);
        inner.optional("NonKeyAttributes", index.included);
    });
}
void fields(auto& visitor, maybe_const<secondary_index> auto& index) {
    index_fields(visitor, index);
    visitor.optional("ProvisionedThroughput", index.provisioned);
}
void fields(auto& visitor, maybe_const<index_description> auto& index) {
    index_fields(visitor, index);
    if constexpr (std::remove_cvref_t<decltype(visitor)>::reading) {
        visitor.optional("ProvisionedThroughput", index.provisioned);
    } else if (index.provisioned) {
        describe_throughput(visitor, *index.provisioned);
    }
    visitor.optional("IndexStatus", index.status);
    visitor.expected("IndexSizeBytes", index.size_bytes);
    visitor.expected("ItemCount", index.item_count);
    visitor.expected("IndexArn", index.arn);
}

void fields(auto& visitor, maybe_const<on_demand_limits> auto& limits) {
    visitor.optional("MaxReadRequestUnits", limits.read_units);
    visitor.optional("MaxWriteRequestUnits", limits.write_units);
}
void fields(auto& visitor, maybe_const<encryption> auto& at_rest) {
    if constexpr (std::remove_cvref_t<decltype(visitor)>::reading) {
        visitor.optional("KMSMasterKeyArn", at_rest.key);
    } else {
        visitor.required("Status", std::string("ENABLED"));
        visitor.required("SSEType", std::string("KMS"));
        visitor.required("KMSMasterKeyArn", at_rest.key);
    }
}

/// A stream is asked for and described in one way.
void stream_field(auto& visitor, auto& table) {
    if constexpr (std::remove_cvref_t<decltype(visitor)>::reading) {
        const auto* specification = visitor.object().find("StreamSpecification");
        if (!specification) return;
        field_reader inner(json_input{*specification});
        inner.optional("StreamViewType", table.stream);
    } else if (table.stream) {
        visitor.nested("StreamSpecification", [&table](auto& inner) {
            inner.required("StreamEnabled", true);
            inner.required("StreamViewType", *table.stream);
        });
    }
}

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
        definition_list definitions;
        definitions.add(table.key);
        definitions.add_all(table.global_indexes);
        definitions.add_all(table.local_indexes);
        if constexpr (requires { table.status; }) {
            visitor.optional("AttributeDefinitions", definitions.all());
            visitor.optional("KeySchema", table.key);
        } else {
            visitor.required("AttributeDefinitions", definitions.all());
            visitor.required("KeySchema", table.key);
        }
        visitor.optional("GlobalSecondaryIndexes", table.global_indexes);
        visitor.optional("LocalSecondaryIndexes", table.local_indexes);
    }
}

struct billing_summary {
    billing_mode mode = billing_mode::provisioned;
    double since = 0;
};
void fields(auto& visitor, maybe_const<billing_summary> auto& summary) {
    visitor.expected("BillingMode", summary.mode);
    visitor.optional("LastUpdateToPayPerRequestDateTime", summary.since);
}

/// A table that was never billed per request has no summary of its billing.
void billing_fields(auto& visitor, auto& table) {
    billing_summary summary{table.billing, table.pay_per_request_since};
    if constexpr (std::remove_cvref_t<decltype(visitor)>::reading) {
        summary = {};
        visitor.expected("BillingModeSummary", summary);
        table.billing = summary.mode;
        table.pay_per_request_since = summary.since;
        visitor.expected("ProvisionedThroughput", table.provisioned);
    } else {
        if (table.billing == billing_mode::pay_per_request || table.pay_per_request_since != 0) {
            visitor.required("BillingModeSummary", summary);
        }
        describe_throughput(visitor, table.provisioned);
    }
}

void table_class_field(auto& visitor, auto& table) {
    if constexpr (std::remove_cvref_t<decltype(visitor)>::reading) {
        if (!visitor.object().find("TableClassSummary")) return;
    } else if (table.table_class.empty()) {
        return;
    }
    visitor.nested("TableClassSummary", [&table](auto& inner) { inner.expected("TableClass", table.table_class); });
}

void fields(auto& visitor, maybe_const<table_description> auto& table) {
    schema_fields(visitor, table);
    visitor.expected("TableStatus", table.status);
    visitor.optional("CreationDateTime", table.created);
    billing_fields(visitor, table);
    visitor.expected("TableSizeBytes", table.size_bytes);
    visitor.expected("ItemCount", table.item_count);
    visitor.expected("TableArn", table.arn);
    visitor.expected("TableId", table.id);
    visitor.expected("DeletionProtectionEnabled", table.deletion_protected);
    stream_field(visitor, table);
    table_class_field(visitor, table);
    visitor.optional("OnDemandThroughput", table.on_demand);
    visitor.optional("SSEDescription", table.encrypted);
}

/// How encryption is asked for.
void encryption_field(auto& visitor, bool enabled, auto& wanted) {
    visitor.nested("SSESpecification", [&](auto& inner) {
        inner.required("Enabled", enabled);
        if (!enabled || !wanted || wanted->key.empty()) return;
        inner.required("KMSMasterKeyId", wanted->key);
        inner.required("SSEType", std::string("KMS"));
    });
}

void fields(auto& visitor, maybe_const<create_table_request> auto& request) {
    schema_fields(visitor, request);
    visitor.expected("BillingMode", request.billing);
    visitor.optional("ProvisionedThroughput", request.provisioned);
    visitor.optional("DeletionProtectionEnabled", request.deletion_protected);
    stream_field(visitor, request);
    visitor.optional("TableClass", request.table_class);
    visitor.optional("OnDemandThroughput", request.on_demand);
    if (request.encrypted) encryption_field(visitor, true, request.encrypted);
    if (std::remove_cvref_t<decltype(visitor)>::reading || !request.tags.empty()) tags_field(visitor, request.tags);
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
void fields(auto& visitor, maybe_const<update_index> auto& change) {
    visitor.required("IndexName", change.name);
    visitor.required("ProvisionedThroughput", change.provisioned);
}
void fields(auto& visitor, maybe_const<delete_index> auto& change) {
    visitor.required("IndexName", change.name);
}
template <>
inline constexpr std::string_view tag_of<secondary_index> = "Create";
template <>
inline constexpr std::string_view tag_of<update_index> = "Update";
template <>
inline constexpr std::string_view tag_of<delete_index> = "Delete";

void fields(auto& visitor, maybe_const<update_table_request> auto& request) {
    visitor.required("TableName", request.table_name);
    definition_list definitions;
    for (const auto& change : request.index_changes) {
        if (const auto* created = std::get_if<secondary_index>(&change)) definitions.add(created->key);
    }
    visitor.optional("AttributeDefinitions", definitions.all());
    visitor.optional("BillingMode", request.billing);
    visitor.optional("ProvisionedThroughput", request.provisioned);
    visitor.optional("GlobalSecondaryIndexUpdates", request.index_changes);
    visitor.optional("DeletionProtectionEnabled", request.deletion_protected);
    if (request.stream_enabled) {
        visitor.nested("StreamSpecification", [&request](auto& inner) {
            inner.required("StreamEnabled", *request.stream_enabled);
            inner.optional("StreamViewType", request.stream);
        });
    }
    visitor.optional("TableClass", request.table_class);
    visitor.optional("OnDemandThroughput", request.on_demand);
    if (request.encryption_enabled) encryption_field(visitor, *request.encryption_enabled, request.encrypted);
}
void fields(auto& visitor, maybe_const<update_table_response> auto& response) {
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
/// Not every server repeats the request, as the service does.
void fields(auto& visitor, maybe_const<update_time_to_live_response> auto& response) {
    if constexpr (std::remove_cvref_t<decltype(visitor)>::reading) {
        if (!visitor.object().find("TimeToLiveSpecification")) return;
    }
    visitor.nested("TimeToLiveSpecification", [&response](auto& inner) {
        inner.expected("AttributeName", response.attribute_name);
        inner.expected("Enabled", response.enabled);
    });
}
void fields(auto& visitor, maybe_const<describe_time_to_live_request> auto& request) {
    visitor.required("TableName", request.table_name);
}
void fields(auto& visitor, maybe_const<describe_time_to_live_response> auto& response) {
    visitor.nested("TimeToLiveDescription", [&response](auto& inner) {
        inner.expected("TimeToLiveStatus", response.status);
        inner.optional("AttributeName", response.attribute_name);
    });
}

void fields(auto&, maybe_const<describe_limits_request> auto&) {}
void fields(auto& visitor, maybe_const<describe_limits_response> auto& limits) {
    visitor.expected("AccountMaxReadCapacityUnits", limits.account_read_units);
    visitor.expected("AccountMaxWriteCapacityUnits", limits.account_write_units);
    visitor.expected("TableMaxReadCapacityUnits", limits.table_read_units);
    visitor.expected("TableMaxWriteCapacityUnits", limits.table_write_units);
}
void fields(auto&, maybe_const<describe_endpoints_request> auto&) {}
void fields(auto& visitor, maybe_const<service_endpoint> auto& endpoint) {
    visitor.required("Address", endpoint.address);
    visitor.expected("CachePeriodInMinutes", endpoint.cache_minutes);
}
void fields(auto& visitor, maybe_const<describe_endpoints_response> auto& response) {
    visitor.expected("Endpoints", response.endpoints);
}

}  // namespace dynalease::codec
#pragma GCC visibility pop
