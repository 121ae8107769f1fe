// The models of requests about tables, and the list of all models.
// SPDX-License-Identifier: BSL-1.0
#include "local/codec/common_shapes.hpp"
#include "local/codec/shapes.hpp"

#include <utility>

namespace dynalease::codec::shapes {

namespace {

using enum presence;

constexpr shape attribute_name{.kind = text, .least = 1, .most = 255};
constexpr std::array<std::string_view, 3> scalar_words{"B", "N", "S"};
constexpr shape scalar = one_of(scalar_words);
constexpr std::array<shape_member, 2> definition_members{{
    {"AttributeName", &attribute_name, not_null},
    {"AttributeType", &scalar, not_null},
}};
constexpr shape definition{.kind = structure, .type_name = "AttributeDefinition", .members = definition_members};
constexpr shape definitions{.kind = list, .element = &definition};

constexpr std::array<std::string_view, 2> key_words{"HASH", "RANGE"};
constexpr shape key_type = one_of(key_words);
constexpr std::array<shape_member, 2> key_element_members{{
    {"AttributeName", &attribute_name, not_null},
    {"KeyType", &key_type, not_null},
}};
constexpr shape key_element{.kind = structure, .type_name = "KeySchemaElement", .members = key_element_members};
constexpr shape key_schema{.kind = list, .element = &key_element, .least = 1, .most = 2};
constexpr shape index_key_schema{.kind = list, .element = &key_element, .least = 1};

constexpr std::array<std::string_view, 2> billing_words{"PROVISIONED", "PAY_PER_REQUEST"};
constexpr shape billing = one_of(billing_words);
constexpr shape units{.kind = long_integer, .least = 1};
constexpr std::array<shape_member, 2> throughput_members{{
    {"ReadCapacityUnits", &units, not_null},
    {"WriteCapacityUnits", &units, not_null},
}};
constexpr shape throughput{.kind = structure, .type_name = "ProvisionedThroughput", .members = throughput_members};

constexpr std::array<std::string_view, 3> projection_words{"ALL", "INCLUDE", "KEYS_ONLY"};
constexpr shape projection_type = one_of(projection_words);
constexpr shape non_key_attributes{.kind = list, .element = &attribute_name, .least = 1, .most = 20};
constexpr std::array<shape_member, 2> projection_members{{
    {"ProjectionType", &projection_type},
    {"NonKeyAttributes", &non_key_attributes},
}};
constexpr shape projection{.kind = structure, .type_name = "Projection", .members = projection_members};

constexpr std::array<shape_member, 3> local_index_members{{
    {"IndexName", &name, not_null},
    {"KeySchema", &key_schema, not_null},
    {"Projection", &projection, not_null},
}};
constexpr shape local_index{.kind = structure, .type_name = "LocalSecondaryIndex", .members = local_index_members};
constexpr shape local_indexes{.kind = list, .element = &local_index};
constexpr std::array<shape_member, 4> global_index_members{{
    {"IndexName", &name, not_null},
    {"KeySchema", &index_key_schema, not_null},
    {"Projection", &projection, not_null},
    {"ProvisionedThroughput", &throughput},
}};
constexpr shape global_index{.kind = structure, .type_name = "GlobalSecondaryIndex", .members = global_index_members};
constexpr shape global_indexes{.kind = list, .element = &global_index};

constexpr std::array<std::string_view, 4> view_words{"NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY"};
constexpr shape view_type = one_of(view_words);
constexpr std::array<shape_member, 2> stream_members{{
    {"StreamEnabled", &any_boolean, not_null},
    {"StreamViewType", &view_type},
}};
constexpr shape stream{.kind = structure, .type_name = "StreamSpecification", .members = stream_members};
constexpr std::array<std::string_view, 2> encryption_words{"AES256", "KMS"};
constexpr shape encryption_type = one_of(encryption_words);
constexpr std::array<shape_member, 3> encryption_members{{
    {"Enabled", &any_boolean},
    {"SSEType", &encryption_type},
    {"KMSMasterKeyId", &any_text},
}};
constexpr shape encryption{.kind = structure, .type_name = "SSESpecification", .members = encryption_members};
constexpr shape any_units{.kind = long_integer};
constexpr std::array<shape_member, 2> on_demand_members{{
    {"MaxReadRequestUnits", &any_units},
    {"MaxWriteRequestUnits", &any_units},
}};
constexpr shape on_demand{.kind = structure, .type_name = "OnDemandThroughput", .members = on_demand_members};

constexpr shape tag_key{.kind = text, .least = 1, .most = 128};
constexpr shape tag_value{.kind = text, .least = 0, .most = 256};
constexpr std::array<shape_member, 2> tag_members{{{"Key", &tag_key, not_null}, {"Value", &tag_value, not_null}}};
constexpr shape tag{.kind = structure, .type_name = "Tag", .members = tag_members};
constexpr shape tags{.kind = list, .element = &tag};
constexpr shape tag_keys{.kind = list, .element = &tag_key};

constexpr std::array<shape_member, 13> create_members{{
    {"AttributeDefinitions", &definitions, not_null},
    {"TableName", &name, created},
    {"KeySchema", &key_schema, not_null},
    {"GlobalSecondaryIndexes", &global_indexes},
    {"LocalSecondaryIndexes", &local_indexes},
    {"BillingMode", &billing},
    {"ProvisionedThroughput", &throughput},
    {"StreamSpecification", &stream},
    {"TableClass", &any_text},
    {"Tags", &tags},
    {"DeletionProtectionEnabled", &any_boolean},
    {"SSESpecification", &encryption},
    {"OnDemandThroughput", &on_demand},
}};

constexpr std::array<shape_member, 2> update_index_members{{
    {"IndexName", &name, not_null},
    {"ProvisionedThroughput", &throughput, not_null},
}};
constexpr shape update_index{
    .kind = structure, .type_name = "UpdateGlobalSecondaryIndexAction", .members = update_index_members};
constexpr shape create_index{
    .kind = structure, .type_name = "CreateGlobalSecondaryIndexAction", .members = global_index_members};
constexpr std::array<shape_member, 1> delete_index_members{{{"IndexName", &name, not_null}}};
constexpr shape delete_index{
    .kind = structure, .type_name = "DeleteGlobalSecondaryIndexAction", .members = delete_index_members};
constexpr std::array<shape_member, 3> index_update_members{{
    {"Update", &update_index},
    {"Create", &create_index},
    {"Delete", &delete_index},
}};
constexpr shape index_update{
    .kind = structure, .type_name = "GlobalSecondaryIndexUpdate", .members = index_update_members};
constexpr shape index_updates{.kind = list, .element = &index_update};
constexpr std::array<shape_member, 10> update_table_members{{
    {"AttributeDefinitions", &definitions},
    {"TableName", &name, required},
    {"BillingMode", &billing},
    {"ProvisionedThroughput", &throughput},
    {"GlobalSecondaryIndexUpdates", &index_updates},
    {"StreamSpecification", &stream},
    {"TableClass", &any_text},
    {"DeletionProtectionEnabled", &any_boolean},
    {"OnDemandThroughput", &on_demand},
    {"SSESpecification", &encryption},
}};

constexpr std::array<shape_member, 1> named_members{{{"TableName", &name, required}}};
constexpr shape listed{.kind = integer, .least = 1, .most = 100};
constexpr std::array<shape_member, 2> list_members{{{"ExclusiveStartTableName", &name}, {"Limit", &listed}}};

constexpr std::array<shape_member, 2> time_to_live_members{{
    {"Enabled", &any_boolean, not_null},
    {"AttributeName", &attribute_name, not_null},
}};
constexpr shape time_to_live{
    .kind = structure, .type_name = "TimeToLiveSpecification", .members = time_to_live_members};
constexpr std::array<shape_member, 2> update_time_to_live_members{{
    {"TableName", &name, required},
    {"TimeToLiveSpecification", &time_to_live, not_null},
}};

constexpr std::array<shape_member, 2> tag_resource_members{{{"ResourceArn", &any_text}, {"Tags", &tags, not_null}}};
constexpr std::array<shape_member, 2> untag_resource_members{
    {{"ResourceArn", &any_text}, {"TagKeys", &tag_keys, not_null}}};
constexpr std::array<shape_member, 2> list_tags_members{{{"ResourceArn", &any_text}, {"NextToken", &any_text}}};

}  // namespace

const shape create_table{.kind = structure, .members = create_members};
const shape update_table{.kind = structure, .members = update_table_members};
const shape named_table{.kind = structure, .members = named_members};
const shape list_tables{.kind = structure, .members = list_members};
const shape update_time_to_live{.kind = structure, .members = update_time_to_live_members};
const shape tag_resource{.kind = structure, .members = tag_resource_members};
const shape untag_resource{.kind = structure, .members = untag_resource_members};
const shape list_tags_of_resource{.kind = structure, .members = list_tags_members};
const shape nothing{.kind = structure};

}  // namespace dynalease::codec::shapes

namespace dynalease::codec {

const shape* shape_of_request(std::string_view operation) noexcept {
    using namespace shapes;
    static constexpr std::array<std::pair<std::string_view, const shape*>, 22> models{{
        {"PutItem", &put_item},
        {"GetItem", &get_item},
        {"UpdateItem", &update_item},
        {"DeleteItem", &delete_item},
        {"Query", &query},
        {"Scan", &scan},
        {"BatchGetItem", &batch_get_item},
        {"BatchWriteItem", &batch_write_item},
        {"TransactWriteItems", &transact_write_items},
        {"TransactGetItems", &transact_get_items},
        {"CreateTable", &create_table},
        {"DescribeTable", &named_table},
        {"DeleteTable", &named_table},
        {"UpdateTable", &update_table},
        {"ListTables", &list_tables},
        {"UpdateTimeToLive", &update_time_to_live},
        {"DescribeTimeToLive", &named_table},
        {"TagResource", &tag_resource},
        {"UntagResource", &untag_resource},
        {"ListTagsOfResource", &list_tags_of_resource},
        {"DescribeLimits", &nothing},
        {"DescribeEndpoints", &nothing},
    }};
    for (const auto& [known, model] : models) {
        if (known == operation) return model;
    }
    return nullptr;
}

}  // namespace dynalease::codec
