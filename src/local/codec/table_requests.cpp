// Reading CreateTable and UpdateTable as the service does: each mistake in its turn, in its words.
// SPDX-License-Identifier: BSL-1.0
#include "dynamodb/table_fields.hpp"
#include "local/codec/request_reader.hpp"
#include "local/codec/table_settings.hpp"

#include <algorithm>
#include <set>

namespace dynalease::codec {

namespace {

using definition_vector = std::vector<attribute_definition>;
using element_vector = std::vector<key_element>;

template <class Range, class Projection>
std::string joined(const Range& range, Projection member) {
    std::string text;
    for (const auto& each : range) text += (text.empty() ? "" : ", ") + each.*member;
    return text;
}

// ---- keys -------------------------------------------------------------------------------------------------

void check_defined(const element_vector& key, const definition_vector& defined) {
    for (const key_element& each : key) {
        if (std::ranges::find(defined, each.name, &attribute_definition::name) != defined.end()) continue;
        refuse_table_parameter("Some index key attributes are not defined in AttributeDefinitions. Keys: [" +
                               joined(key, &key_element::name) + "], AttributeDefinitions: [" +
                               joined(defined, &attribute_definition::name) + "]");
    }
}

void check_roles(const element_vector& key) {
    if (key.size() == 2 && key[0].name == key[1].name) {
        refuse_table("Both the Hash Key and the Range Key element in the KeySchema have the same name");
    }
    if (key[0].role != key_role::hash) {
        refuse_table("Invalid KeySchema: The first KeySchemaElement is not a HASH key type");
    }
    if (key.size() == 2 && key[1].role != key_role::range) {
        refuse_table("Invalid KeySchema: The second KeySchemaElement is not a RANGE key type");
    }
}

bool has_repeated_name(const element_vector& key) {
    std::set<std::string_view> names;
    return !std::ranges::all_of(key, [&](const key_element& each) { return names.insert(each.name).second; });
}

/// A global index takes several attributes of each role, the hash attributes first.
void check_global_roles(const element_vector& key) {
    const bool is_pair = key.size() == 2 && key[1].role == key_role::range;
    if (key.size() == 1 || is_pair) return check_roles(key);
    if (has_repeated_name(key)) refuse_table("The KeySchema contains multiple key attributes with the same name");
    if (key[0].role != key_role::hash) {
        refuse_table("Invalid KeySchema: The first KeySchemaElement is not a HASH key type");
    }
    const auto is_hash = [](const key_element& each) { return each.role == key_role::hash; };
    if (!std::ranges::is_partitioned(key, is_hash)) {
        refuse_table_parameter("All HASH key attributes must precede RANGE key attributes in the KeySchema");
    }
    constexpr std::ptrdiff_t most_of_a_role = 4;
    const auto hashes = std::ranges::count_if(key, is_hash);
    for (const auto& [role, count] : {std::pair{"HASH", hashes}, {"RANGE", std::ssize(key) - hashes}}) {
        if (count <= most_of_a_role) continue;
        refuse_table_parameter("The KeySchema exceeds the maximum allowed number of " + std::string(role) +
                               " key attributes");
    }
}

key_schema typed(const element_vector& key, const definition_vector& defined) {
    key_schema schema = schema_of(key);
    assign_types(defined, schema);
    return schema;
}

void check_definitions_distinct(const definition_vector& defined) {
    std::set<std::string_view> seen;
    for (const auto& each : defined) {
        if (seen.insert(each.name).second) continue;
        refuse_table("Attribute Name is duplicated: " + each.name);
    }
}

void check_all_used(const create_table_request& request, const definition_vector& defined, std::size_t key_size) {
    definition_list used;
    used.add(request.key);
    used.add_all(request.local_indexes);
    used.add_all(request.global_indexes);
    if (used.all().size() == defined.size()) return;
    if (request.local_indexes.empty() && request.global_indexes.empty() && defined.size() != key_size) {
        refuse_table_parameter(
            "Number of attributes in KeySchema does not exactly match number of attributes defined in "
            "AttributeDefinitions");
    }
    refuse_table_parameter("Some AttributeDefinitions are not used. AttributeDefinitions: [" +
                           joined(defined, &attribute_definition::name) + "], keys used: [" +
                           joined(used.all(), &attribute_definition::name) + "]");
}

// ---- indexes ----------------------------------------------------------------------------------------------

void read_projection(json_input in, secondary_index& index) {
    const auto* type = in.find("ProjectionType");
    if (!type) refuse_table_parameter("Unknown ProjectionType: null");
    read(json_input{*type}, index.projected);
    if (const auto* included = in.find("NonKeyAttributes")) read(json_input{*included}, detail::plain(index.included));
    const bool includes = index.projected == projection::include;
    if (!includes && !index.included.empty()) {
        refuse_table_parameter("ProjectionType is " + std::string(json_input{*type}.text()) +
                               ", but NonKeyAttributes is specified");
    }
    if (includes && index.included.empty()) {
        refuse_table_parameter("ProjectionType is INCLUDE, but NonKeyAttributes is not specified");
    }
    std::set<std::string_view> seen;
    for (const std::string& each : index.included) {
        if (!seen.insert(each).second) refuse_table_parameter("Duplicate element in NonKeyAttributes: " + each);
    }
}

/// What a request says of one index, and what all indexes have to keep.
class index_reader {
public:
    explicit index_reader(const definition_vector& defined) : defined_(defined) {}

    secondary_index read_one(json_input in) {
        element_vector key = key_of(in);
        check_defined(key, defined_);
        check_global_roles(key);
        return finish(in, key);
    }

    secondary_index read_local(json_input in, const key_schema& table) {
        element_vector key = key_of(in);
        check_defined(key, defined_);
        check_roles(key);
        const std::string name = name_of(in);
        if (key.size() != 2) refuse_table_parameter("Index KeySchema does not have a range key for index: " + name);
        if (key[0].name != table.hash.name) {
            refuse_table_parameter(
                "Index KeySchema does not have the same leading hash key as table KeySchema for index: " + name +
                ". index hash key: " + key[0].name + ", table hash key: " + table.hash.name);
        }
        return finish(in, key);
    }

private:
    static element_vector key_of(json_input in) {
        element_vector key;
        read(json_input{*in.find("KeySchema")}, key);
        return key;
    }
    static std::string name_of(json_input in) { return std::string(json_input{*in.find("IndexName")}.text()); }

    secondary_index finish(json_input in, const element_vector& key) {
        secondary_index index;
        index.name = name_of(in);
        index.key = typed(key, defined_);
        read_projection(json_input{*in.find("Projection")}, index);
        if (const auto* units = in.find("ProvisionedThroughput")) {
            read(json_input{*units}, index.provisioned.emplace());
            check_bounds(*index.provisioned);
        }
        if (!seen_.insert(index.name).second) refuse_table_parameter("Duplicate index name: " + index.name);
        return index;
    }

    const definition_vector& defined_;
    std::set<std::string> seen_;
};

void read_local_indexes(json_input in, index_reader& reader, create_table_request& out) {
    const auto* list = in.find("LocalSecondaryIndexes");
    if (!list) return;
    if (list->Empty()) refuse_table_parameter("List of LocalSecondaryIndexes is empty");
    if (!out.key.range) {
        refuse_table_parameter(
            "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex");
    }
    for (const auto& each : list->GetArray()) {
        out.local_indexes.push_back(reader.read_local(json_input{each}, out.key));
    }
    constexpr std::size_t most_indexes = 5;
    if (out.local_indexes.size() > most_indexes) {
        refuse_table_parameter("Number of LocalSecondaryIndexes exceeds per-table limit of 5");
    }
}

void read_global_indexes(json_input in, index_reader& reader, create_table_request& out) {
    const auto* list = in.find("GlobalSecondaryIndexes");
    if (!list) return;
    if (list->Empty()) refuse_table_parameter("List of GlobalSecondaryIndexes is empty");
    for (const auto& each : list->GetArray()) {
        secondary_index index = reader.read_one(json_input{each});
        if (out.billing == billing_mode::pay_per_request && index.provisioned) {
            refuse_table_parameter("ProvisionedThroughput should not be specified for index: " + index.name +
                                   " when BillingMode is PAY_PER_REQUEST");
        }
        if (out.billing == billing_mode::provisioned && !index.provisioned) {
            refuse_table_parameter("ProvisionedThroughput is not specified for index: " + index.name);
        }
        out.global_indexes.push_back(std::move(index));
    }
    constexpr std::size_t most_indexes = 20;
    if (out.global_indexes.size() > most_indexes) {
        refuse_table_parameter("GlobalSecondaryIndex count exceeds the per-table limit of 20");
    }
}

void check_index_update(const json_value& update, std::set<std::string>& seen) {
    const json_input in{update};
    const json_value* found = nullptr;
    for (const char* name : {"Update", "Create", "Delete"}) {
        const auto* action = in.find(name);
        if (action && found) {
            refuse_table_parameter(
                "Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object");
        }
        if (action) found = action;
    }
    if (!found) {
        refuse_table_parameter(
            "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
            "GlobalSecondaryIndexUpdate.Delete must not be null");
    }
    const std::string index(json_input{*json_input{*found}.find("IndexName")}.text());
    if (seen.insert(index).second) return;
    refuse_table_parameter("Only one global secondary index update per index is allowed simultaneously. Index: " +
                           index);
}

}  // namespace

void read_request(json_input in, create_table_request& out) {
    refuse_unserved(in);
    field_reader visitor(in);
    visitor.required("TableName", out.table_name);
    out.billing = billing_mode::provisioned;
    visitor.expected("BillingMode", out.billing);
    visitor.optional("ProvisionedThroughput", out.provisioned);
    definition_vector defined;
    visitor.required("AttributeDefinitions", defined);
    element_vector key;
    visitor.required("KeySchema", key);
    check_billing(out);
    if (key.size() > defined.size()) refuse_table("Invalid KeySchema: Some index key attribute have no definition");
    check_defined(key, defined);
    check_roles(key);
    check_definitions_distinct(defined);
    out.key = typed(key, defined);
    index_reader indexes(defined);
    read_local_indexes(in, indexes, out);
    read_global_indexes(in, indexes, out);
    check_all_used(out, defined, key.size());
    visitor.optional("DeletionProtectionEnabled", out.deletion_protected);
    out.stream = read_stream(in, created_stream).view;
    visitor.optional("TableClass", out.table_class);
    check_table_class(out.table_class);
    visitor.optional("OnDemandThroughput", out.on_demand);
    check_on_demand(out.on_demand, out.billing);
    out.encrypted = read_encryption(in);
    tags_field(visitor, out.tags);
}

void read_request(json_input in, update_table_request& out) {
    refuse_unserved(in);
    field_reader visitor(in);
    visitor.required("TableName", out.table_name);
    visitor.optional("BillingMode", out.billing);
    visitor.optional("ProvisionedThroughput", out.provisioned);
    const auto* changes = in.find("GlobalSecondaryIndexUpdates");
    visitor.optional("DeletionProtectionEnabled", out.deletion_protected);
    visitor.optional("TableClass", out.table_class);
    check_table_class(out.table_class);
    visitor.optional("OnDemandThroughput", out.on_demand);
    if (in.find("SSESpecification")) {
        out.encrypted = read_encryption(in);
        out.encryption_enabled = out.encrypted.has_value();
    }
    const stream_request stream = read_stream(in, updated_stream);
    out.stream_enabled = stream.enabled;
    out.stream = stream.view;
    if (!out.provisioned && !out.billing && (!changes || changes->Empty()) && !out.deletion_protected &&
        !out.stream_enabled && out.table_class.empty() && !out.on_demand && !out.encryption_enabled) {
        refuse_table(
            "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, "
            "SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, "
            "MultiRegionConsistency, DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is "
            "required");
    }
    check_alone(out, changes != nullptr);
    check_on_demand(out.on_demand, out.billing);
    if (out.billing == billing_mode::provisioned && !out.provisioned) {
        refuse_table_parameter("ProvisionedThroughput must be specified when BillingMode is PROVISIONED");
    }
    if (out.provisioned) check_bounds(*out.provisioned);
    if (!changes) return;
    if (changes->Empty()) refuse_table_parameter("List of GlobalSecondaryIndexUpdates is empty");
    std::set<std::string> seen;
    for (const auto& each : changes->GetArray()) check_index_update(each, seen);
    definition_vector defined;
    visitor.optional("AttributeDefinitions", defined);
    check_definitions_distinct(defined);
    index_reader indexes(defined);
    for (const auto& each : changes->GetArray()) {
        const json_input change{each};
        if (const auto* created = change.find("Create")) {
            if (defined.empty()) {
                refuse_table_parameter("AttributeDefinitions is not specified for index: " +
                                       std::string(json_input{*json_input{*created}.find("IndexName")}.text()));
            }
            out.index_changes.emplace_back(indexes.read_one(json_input{*created}));
        } else if (const auto* updated = change.find("Update")) {
            update_index update;
            read(json_input{*updated}, update);
            out.index_changes.emplace_back(std::move(update));
        } else {
            delete_index removal;
            read(json_input{*change.find("Delete")}, removal);
            out.index_changes.emplace_back(std::move(removal));
        }
    }
}

}  // namespace dynalease::codec
