// The models of requests about items. The order of the members is the service's: it decides the order of the faults.
// SPDX-License-Identifier: BSL-1.0
#include "local/codec/common_shapes.hpp"
#include "local/codec/shapes.hpp"

namespace dynalease::codec::shapes {

namespace {

using enum presence;

constexpr std::array<std::string_view, 3> capacity_words{"INDEXES", "TOTAL", "NONE"};
constexpr shape capacity = one_of(capacity_words);
constexpr std::array<std::string_view, 2> metrics_words{"SIZE", "NONE"};
constexpr shape metrics = one_of(metrics_words);
constexpr std::array<std::string_view, 5> returned_words{"ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW"};
constexpr shape returned = one_of(returned_words);
constexpr std::array<std::string_view, 2> on_failure_words{"ALL_OLD", "NONE"};
constexpr shape on_failure = one_of(on_failure_words);
constexpr std::array<std::string_view, 2> joint_words{"OR", "AND"};
constexpr shape joint = one_of(joint_words);
constexpr std::array<std::string_view, 13> comparison_words{
    "IN", "NULL", "BETWEEN", "LT", "NOT_CONTAINS", "EQ", "GT", "NOT_NULL", "NE", "LE", "BEGINS_WITH", "GE", "CONTAINS"};
constexpr shape comparison = one_of(comparison_words);
constexpr std::array<std::string_view, 4> select_words{"SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES",
                                                       "ALL_PROJECTED_ATTRIBUTES"};
constexpr shape select = one_of(select_words);

constexpr shape attributes_to_get{.kind = list, .element = &any_text, .least = 1, .most = 255};

// ---- the older parameters ---------------------------------------------------------------------------------

constexpr std::array<shape_member, 4> expected_members{{
    {"AttributeValueList", &value_list},
    {"ComparisonOperator", &comparison},
    {"Exists", &any_boolean},
    {"Value", &any_value},
}};
constexpr shape expected_value{.kind = structure, .type_name = "ExpectedAttributeValue", .members = expected_members};
constexpr shape expected{.kind = map, .element = &expected_value};

constexpr std::array<shape_member, 2> condition_members{{
    {"AttributeValueList", &value_list},
    {"ComparisonOperator", &comparison, not_null},
}};
constexpr shape condition{.kind = structure, .type_name = "Condition", .members = condition_members};
constexpr shape conditions{.kind = map, .element = &condition};

constexpr std::array<std::string_view, 3> action_words{"ADD", "DELETE", "PUT"};
constexpr shape action = one_of(action_words);
constexpr std::array<shape_member, 2> value_update_members{{{"Value", &any_value}, {"Action", &action}}};
constexpr shape value_update{.kind = structure, .type_name = "AttributeValueUpdate", .members = value_update_members};
constexpr shape value_updates{.kind = map, .element = &value_update};

// ---- single items -----------------------------------------------------------------------------------------

constexpr std::array<shape_member, 11> put_members{{
    {"ReturnValues", &returned},
    {"TableName", &table_name, not_null},
    {"Item", &value_map, not_null},
    {"Expected", &expected},
    {"ReturnConsumedCapacity", &capacity},
    {"ReturnItemCollectionMetrics", &metrics},
    {"ConditionalOperator", &joint},
    {"ConditionExpression", &any_text},
    {"ExpressionAttributeNames", &text_map},
    {"ExpressionAttributeValues", &value_map},
    {"ReturnValuesOnConditionCheckFailure", &on_failure},
}};
constexpr std::array<shape_member, 7> get_members{{
    {"ReturnConsumedCapacity", &capacity},
    {"AttributesToGet", &attributes_to_get},
    {"TableName", &table_name, not_null},
    {"Key", &value_map, not_null},
    {"ConsistentRead", &any_boolean},
    {"ProjectionExpression", &any_text},
    {"ExpressionAttributeNames", &text_map},
}};
constexpr std::array<shape_member, 13> update_members{{
    {"ReturnConsumedCapacity", &capacity},
    {"TableName", &table_name, not_null},
    {"ReturnItemCollectionMetrics", &metrics},
    {"ReturnValues", &returned},
    {"ConditionalOperator", &joint},
    {"Key", &value_map, not_null},
    {"AttributeUpdates", &value_updates},
    {"Expected", &expected},
    {"UpdateExpression", &any_text},
    {"ConditionExpression", &any_text},
    {"ExpressionAttributeNames", &text_map},
    {"ExpressionAttributeValues", &value_map},
    {"ReturnValuesOnConditionCheckFailure", &on_failure},
}};
constexpr std::array<shape_member, 11> delete_members{{
    {"ReturnConsumedCapacity", &capacity},
    {"TableName", &table_name, not_null},
    {"ReturnValues", &returned},
    {"ReturnItemCollectionMetrics", &metrics},
    {"ConditionalOperator", &joint},
    {"Key", &value_map, not_null},
    {"Expected", &expected},
    {"ConditionExpression", &any_text},
    {"ExpressionAttributeNames", &text_map},
    {"ExpressionAttributeValues", &value_map},
    {"ReturnValuesOnConditionCheckFailure", &on_failure},
}};

// ---- many items -------------------------------------------------------------------------------------------

constexpr shape query_limit{.kind = integer, .least = 1, .newer = true};
constexpr std::array<shape_member, 17> query_members{{
    {"TableName", &table_name, not_null},
    {"IndexName", &name},
    {"Select", &select},
    {"AttributesToGet", &attributes_to_get},
    {"Limit", &query_limit},
    {"ConsistentRead", &any_boolean},
    {"KeyConditions", &conditions},
    {"QueryFilter", &conditions},
    {"ConditionalOperator", &joint},
    {"ScanIndexForward", &any_boolean},
    {"ExclusiveStartKey", &value_map},
    {"ReturnConsumedCapacity", &capacity},
    {"ProjectionExpression", &any_text},
    {"FilterExpression", &any_text},
    {"KeyConditionExpression", &any_text},
    {"ExpressionAttributeNames", &text_map},
    {"ExpressionAttributeValues", &value_map},
}};
constexpr std::int64_t most_segments = 1'000'000;
constexpr shape segment{.kind = integer, .least = 0, .most = most_segments - 1};
constexpr shape total_segments{.kind = integer, .least = 1, .most = most_segments};
constexpr std::array<shape_member, 16> scan_members{{
    {"TableName", &table_name, not_null},
    {"IndexName", &name},
    {"AttributesToGet", &attributes_to_get},
    {"Limit", &from_one},
    {"Select", &select},
    {"ScanFilter", &conditions},
    {"ConditionalOperator", &joint},
    {"ExclusiveStartKey", &value_map},
    {"ReturnConsumedCapacity", &capacity},
    {"TotalSegments", &total_segments},
    {"Segment", &segment},
    {"ProjectionExpression", &any_text},
    {"FilterExpression", &any_text},
    {"ExpressionAttributeNames", &text_map},
    {"ExpressionAttributeValues", &value_map},
    {"ConsistentRead", &any_boolean},
}};

constexpr shape key_list{.kind = list, .element = &value_map, .least = 1, .most = 100, .newer = true};
constexpr std::array<shape_member, 5> keys_members{{
    {"Keys", &key_list, not_null},
    {"AttributesToGet", &attributes_to_get},
    {"ConsistentRead", &any_boolean},
    {"ProjectionExpression", &any_text},
    {"ExpressionAttributeNames", &text_map},
}};
constexpr shape keys_and_attributes{.kind = structure, .type_name = "KeysAndAttributes", .members = keys_members};
constexpr shape get_tables{.kind = map, .element = &keys_and_attributes, .most = 100, .has_table_keys = true};
constexpr std::array<shape_member, 2> batch_get_members{{
    {"RequestItems", &get_tables, not_null},
    {"ReturnConsumedCapacity", &capacity},
}};

constexpr std::array<shape_member, 1> put_request_members{{{"Item", &value_map, not_null}}};
constexpr shape put_request{.kind = structure, .type_name = "PutRequest", .members = put_request_members};
constexpr std::array<shape_member, 1> delete_request_members{{{"Key", &value_map, not_null}}};
constexpr shape delete_request{.kind = structure, .type_name = "DeleteRequest", .members = delete_request_members};
constexpr std::array<shape_member, 2> write_request_members{{
    {"PutRequest", &put_request},
    {"DeleteRequest", &delete_request},
}};
constexpr shape write_request{.kind = structure, .type_name = "WriteRequest", .members = write_request_members};
constexpr shape write_requests{.kind = list, .element = &write_request};
constexpr shape write_tables{
    .kind = map, .element = &write_requests, .most = 25, .has_table_keys = true, .most_each = 25};
constexpr std::array<shape_member, 3> batch_write_members{{
    {"RequestItems", &write_tables, not_null},
    {"ReturnConsumedCapacity", &capacity},
    {"ReturnItemCollectionMetrics", &metrics},
}};

// ---- transactions -----------------------------------------------------------------------------------------

constexpr std::array<shape_member, 6> check_action_members{{
    {"Key", &value_map, not_null},
    {"TableName", &table_name, not_null},
    {"ConditionExpression", &any_text, not_null},
    {"ExpressionAttributeNames", &text_map},
    {"ExpressionAttributeValues", &value_map},
    {"ReturnValuesOnConditionCheckFailure", &on_failure},
}};
constexpr shape check_action{.kind = structure, .type_name = "ConditionCheck", .members = check_action_members};
constexpr std::array<shape_member, 6> put_action_members{{
    {"Item", &value_map, not_null},
    {"TableName", &table_name, not_null},
    {"ConditionExpression", &any_text},
    {"ExpressionAttributeNames", &text_map},
    {"ExpressionAttributeValues", &value_map},
    {"ReturnValuesOnConditionCheckFailure", &on_failure},
}};
constexpr shape put_action{.kind = structure, .type_name = "Put", .members = put_action_members};
constexpr std::array<shape_member, 6> delete_action_members{{
    {"Key", &value_map, not_null},
    {"TableName", &table_name, not_null},
    {"ConditionExpression", &any_text},
    {"ExpressionAttributeNames", &text_map},
    {"ExpressionAttributeValues", &value_map},
    {"ReturnValuesOnConditionCheckFailure", &on_failure},
}};
constexpr shape delete_action{.kind = structure, .type_name = "Delete", .members = delete_action_members};
constexpr std::array<shape_member, 7> update_action_members{{
    {"Key", &value_map, not_null},
    {"UpdateExpression", &any_text, not_null},
    {"TableName", &table_name, not_null},
    {"ConditionExpression", &any_text},
    {"ExpressionAttributeNames", &text_map},
    {"ExpressionAttributeValues", &value_map},
    {"ReturnValuesOnConditionCheckFailure", &on_failure},
}};
constexpr shape update_action{.kind = structure, .type_name = "Update", .members = update_action_members};
constexpr std::array<shape_member, 4> write_action_members{{
    {"ConditionCheck", &check_action},
    {"Put", &put_action},
    {"Delete", &delete_action},
    {"Update", &update_action},
}};
constexpr shape write_action{.kind = structure, .type_name = "TransactWriteItem", .members = write_action_members};
constexpr shape write_actions{.kind = list, .element = &write_action, .least = 1, .most = 100};
constexpr shape token{.kind = text, .least = 1, .most = 36};
constexpr std::array<shape_member, 4> transact_write_members{{
    {"TransactItems", &write_actions, not_null},
    {"ClientRequestToken", &token},
    {"ReturnConsumedCapacity", &capacity},
    {"ReturnItemCollectionMetrics", &metrics},
}};

constexpr std::array<shape_member, 4> get_action_members{{
    {"Key", &value_map, not_null},
    {"TableName", &table_name, not_null},
    {"ProjectionExpression", &any_text},
    {"ExpressionAttributeNames", &text_map},
}};
constexpr shape get_action{.kind = structure, .type_name = "Get", .members = get_action_members};
constexpr std::array<shape_member, 1> read_action_members{{{"Get", &get_action, not_null}}};
constexpr shape read_action{.kind = structure, .type_name = "TransactGetItem", .members = read_action_members};
constexpr shape read_actions{.kind = list, .element = &read_action, .least = 1, .most = 100};
constexpr std::array<shape_member, 2> transact_get_members{{
    {"TransactItems", &read_actions, not_null},
    {"ReturnConsumedCapacity", &capacity},
}};

}  // namespace

const shape put_item{.kind = structure, .members = put_members, .table_first = true};
const shape get_item{.kind = structure, .members = get_members};
const shape update_item{.kind = structure, .members = update_members, .table_first = true};
const shape delete_item{.kind = structure, .members = delete_members};
const shape query{.kind = structure, .members = query_members};
const shape scan{.kind = structure, .members = scan_members};
const shape batch_get_item{.kind = structure, .members = batch_get_members};
const shape batch_write_item{.kind = structure, .members = batch_write_members};
const shape transact_write_items{.kind = structure, .members = transact_write_members};
const shape transact_get_items{.kind = structure, .members = transact_get_members};

}  // namespace dynalease::codec::shapes
