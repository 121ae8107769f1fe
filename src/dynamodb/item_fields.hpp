// The fields of requests and responses about items, with the service's names for them. What only a server reads of a
// request stands where it reads it, and is read by the visitor itself.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "dynamodb/json_fields.hpp"

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/dynamodb/operations.hpp>

#include <span>
#include <string_view>

namespace dynalease {

inline std::span<const std::string_view> words_of(return_values) noexcept {
    static constexpr std::string_view words[] = {"NONE", "ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATED_NEW"};
    return words;
}
inline std::span<const std::string_view> words_of(selection) noexcept {
    static constexpr std::string_view words[] = {"", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES",
                                                 "SPECIFIC_ATTRIBUTES", "COUNT"};
    return words;
}

}  // namespace dynalease

namespace dynalease::codec {

template <>
inline constexpr std::string_view tag_of<batch_put> = "PutRequest";
template <>
inline constexpr std::string_view tag_of<batch_delete> = "DeleteRequest";
template <>
inline constexpr std::string_view tag_of<condition_check> = "ConditionCheck";
template <>
inline constexpr std::string_view tag_of<transact_put> = "Put";
template <>
inline constexpr std::string_view tag_of<transact_update> = "Update";
template <>
inline constexpr std::string_view tag_of<transact_delete> = "Delete";

template <>
inline constexpr std::string_view fault_of_choice<batch_write> =
    "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes";
template <>
inline constexpr std::string_view fault_of_choice<transact_write> =
    "TransactItems can only contain one of Check, Put, Update or Delete";

// ---- what many have in common -----------------------------------------------------------------------------

template <class Visitor>
inline constexpr bool is_reading = std::remove_cvref_t<Visitor>::reading;
template <class Visitor>
inline constexpr bool is_serving = std::remove_cvref_t<Visitor>::serving;

void capacity_field(auto& visitor, auto& request) {
    constexpr std::string_view name = "ReturnConsumedCapacity";
    if constexpr (is_reading<decltype(visitor)>) {
        std::string word;
        visitor.optional(name, word);
        request.report_capacity = word == "TOTAL" || word == "INDEXES";
        request.capacity_by_index = word == "INDEXES";
    } else if (request.report_capacity) {
        visitor.required(name, std::string_view(request.capacity_by_index ? "INDEXES" : "TOTAL"));
    }
}

void collection_field(auto& visitor, auto& request) {
    visitor.choice("ReturnItemCollectionMetrics", request.report_collection, "SIZE", {"NONE"});
}

void projection_fields(auto& visitor, auto& request) {
    if constexpr (is_serving<decltype(visitor)>) visitor.attributes_to_get(request);
    visitor.placeholders("ExpressionAttributeNames", request.names);
    visitor.expression("ProjectionExpression", request.projection_expression);
}

void condition_fields(auto& visitor, auto& request) {
    visitor.placeholders("ExpressionAttributeNames", request.names);
    visitor.placeholders("ExpressionAttributeValues", request.values);
    if constexpr (requires { request.update_expression; }) {
        visitor.expression("UpdateExpression", request.update_expression);
    }
    visitor.expression("ConditionExpression", request.condition_expression);
    visitor.choice("ReturnValuesOnConditionCheckFailure", request.current_on_refusal, "ALL_OLD", {"NONE"});
}

void write_fields(auto& visitor, auto& request) {
    visitor.optional("ReturnValues", request.returned);
    capacity_field(visitor, request);
    collection_field(visitor, request);
    if constexpr (is_serving<decltype(visitor)>) visitor.older_condition(request);
    condition_fields(visitor, request);
}

void page_fields(auto& visitor, auto& request) {
    visitor.required("TableName", request.table_name);
    visitor.optional("IndexName", request.index_name);
    visitor.optional("Limit", request.limit);
    visitor.optional("ConsistentRead", request.consistent_read);
    visitor.optional("Select", request.select);
    capacity_field(visitor, request);
}

void start_key_field(auto& visitor, auto& request) {
    if constexpr (is_serving<decltype(visitor)>) {
        visitor.start_key(request);
    } else {
        visitor.optional("ExclusiveStartKey", request.exclusive_start_key);
    }
}

void page_expression_fields(auto& visitor, auto& request) {
    visitor.placeholders("ExpressionAttributeNames", request.names);
    visitor.placeholders("ExpressionAttributeValues", request.values);
    if constexpr (requires { request.key_condition_expression; }) {
        visitor.expression("KeyConditionExpression", request.key_condition_expression);
    }
    visitor.expression("FilterExpression", request.filter_expression);
    visitor.expression("ProjectionExpression", request.projection_expression);
}

/// Units in an object of their own; of a transaction they are told once more as what they were for.
struct capacity_units {
    double units = 0;
    std::optional<double> read_units{};
    std::optional<double> write_units{};
};
void fields(auto& visitor, maybe_const<capacity_units> auto& capacity) {
    visitor.expected("CapacityUnits", capacity.units);
    visitor.optional("ReadCapacityUnits", capacity.read_units);
    visitor.optional("WriteCapacityUnits", capacity.write_units);
}

inline capacity_units part_of(const consumed_capacity& whole, double units) {
    capacity_units part{units};
    if (whole.read_units) part.read_units = units;
    if (whole.write_units) part.write_units = units;
    return part;
}

void index_units_field(auto& visitor, std::string_view name, auto& consumed, auto& units) {
    std::map<std::string, capacity_units> wrapped;
    if constexpr (is_reading<decltype(visitor)>) {
        visitor.optional(name, wrapped);
        for (const auto& [index, held] : wrapped) units.emplace(index, held.units);
    } else if (!units.empty()) {
        for (const auto& [index, held] : units) wrapped.emplace(index, part_of(consumed, held));
        visitor.required(name, wrapped);
    }
}

void fields(auto& visitor, maybe_const<consumed_capacity> auto& consumed) {
    visitor.optional("TableName", consumed.table_name);
    visitor.expected("CapacityUnits", consumed.capacity_units);
    visitor.optional("ReadCapacityUnits", consumed.read_units);
    visitor.optional("WriteCapacityUnits", consumed.write_units);
    std::optional<capacity_units> own;
    if (consumed.table_units) own = part_of(consumed, *consumed.table_units);
    visitor.optional("Table", own);
    if constexpr (is_reading<decltype(visitor)>) {
        if (own) consumed.table_units = own->units;
    }
    index_units_field(visitor, "GlobalSecondaryIndexes", consumed, consumed.global_index_units);
    index_units_field(visitor, "LocalSecondaryIndexes", consumed, consumed.local_index_units);
}

void fields(auto& visitor, maybe_const<item_collection_metrics> auto& metrics) {
    visitor.optional("ItemCollectionKey", metrics.key);
    visitor.optional("SizeEstimateRangeGB", metrics.size_range_gb);
}

void written_fields(auto& visitor, auto& response) {
    visitor.optional("Attributes", response.attributes);
    visitor.optional("ConsumedCapacity", response.consumed);
    visitor.optional("ItemCollectionMetrics", response.collection);
}

// ---- single items -----------------------------------------------------------------------------------------

void fields(auto& visitor, maybe_const<put_item_request> auto& request) {
    visitor.required("TableName", request.table_name);
    visitor.required("Item", request.new_item);
    if constexpr (is_serving<decltype(visitor)>) visitor.check_size(request.new_item);
    write_fields(visitor, request);
}
void fields(auto& visitor, maybe_const<put_item_response> auto& response) {
    written_fields(visitor, response);
}

void fields(auto& visitor, maybe_const<get_item_request> auto& request) {
    visitor.required("TableName", request.table_name);
    visitor.required("Key", request.key);
    visitor.optional("ConsistentRead", request.consistent_read);
    projection_fields(visitor, request);
    capacity_field(visitor, request);
}
void fields(auto& visitor, maybe_const<get_item_response> auto& response) {
    visitor.optional("Item", response.found);
    visitor.optional("ConsumedCapacity", response.consumed);
}

void fields(auto& visitor, maybe_const<update_item_request> auto& request) {
    visitor.required("TableName", request.table_name);
    visitor.required("Key", request.key);
    if constexpr (is_serving<decltype(visitor)>) visitor.attribute_updates(request);
    write_fields(visitor, request);
}
void fields(auto& visitor, maybe_const<update_item_response> auto& response) {
    written_fields(visitor, response);
}

void fields(auto& visitor, maybe_const<delete_item_request> auto& request) {
    visitor.required("TableName", request.table_name);
    visitor.required("Key", request.key);
    write_fields(visitor, request);
}
void fields(auto& visitor, maybe_const<delete_item_response> auto& response) {
    written_fields(visitor, response);
}

// ---- many items -------------------------------------------------------------------------------------------

void fields(auto& visitor, maybe_const<query_request> auto& request) {
    page_fields(visitor, request);
    if constexpr (is_serving<decltype(visitor)>) {
        visitor.older_filter("QueryFilter", request);
        visitor.attributes_to_get(request);
    }
    start_key_field(visitor, request);
    page_expression_fields(visitor, request);
    if constexpr (is_serving<decltype(visitor)>) visitor.key_conditions(request);
    // The one switch whose default is on.
    if (std::remove_cvref_t<decltype(visitor)>::reading || !request.scan_index_forward) {
        visitor.expected("ScanIndexForward", request.scan_index_forward);
    }
}
void fields(auto& visitor, maybe_const<scan_request> auto& request) {
    page_fields(visitor, request);
    if constexpr (is_serving<decltype(visitor)>) {
        visitor.attributes_to_get(request);
        visitor.older_filter("ScanFilter", request);
    }
    start_key_field(visitor, request);
    visitor.optional("Segment", request.segment);
    visitor.optional("TotalSegments", request.total_segments);
    if constexpr (is_serving<decltype(visitor)>) visitor.check_segments(request);
    page_expression_fields(visitor, request);
}
/// All that a page has when it was only counted.
void count_fields(auto& visitor, auto& response) {
    visitor.expected("Count", response.count);
    visitor.expected("ScannedCount", response.scanned_count);
    visitor.optional("LastEvaluatedKey", response.last_evaluated_key);
    visitor.optional("ConsumedCapacity", response.consumed);
}
void fields(auto& visitor, maybe_const<page_response> auto& response) {
    // A page that was only counted has no list, an empty one has an empty list.
    if (response.count == 0) {
        visitor.expected("Items", response.items);
    } else {
        visitor.optional("Items", response.items);
    }
    count_fields(visitor, response);
}

void fields(auto& visitor, maybe_const<keys_and_options> auto& request) {
    visitor.optional("ConsistentRead", request.consistent_read);
    projection_fields(visitor, request);
    visitor.required("Keys", request.keys);
}
void fields(auto& visitor, maybe_const<batch_get_item_request> auto& request) {
    visitor.required("RequestItems", request.tables);
    capacity_field(visitor, request);
}
void fields(auto& visitor, maybe_const<batch_get_item_response> auto& response) {
    visitor.expected("Responses", response.items);
    visitor.expected("UnprocessedKeys", response.unprocessed);
    visitor.optional("ConsumedCapacity", response.consumed);
}

void fields(auto& visitor, maybe_const<batch_put> auto& action) {
    visitor.required("Item", action.new_item);
}
void fields(auto& visitor, maybe_const<batch_delete> auto& action) {
    visitor.required("Key", action.key);
}
void fields(auto& visitor, maybe_const<batch_write_item_request> auto& request) {
    visitor.required("RequestItems", request.tables);
    capacity_field(visitor, request);
    collection_field(visitor, request);
}
void fields(auto& visitor, maybe_const<batch_write_item_response> auto& response) {
    visitor.expected("UnprocessedItems", response.unprocessed);
    visitor.optional("ConsumedCapacity", response.consumed);
    visitor.optional("ItemCollectionMetrics", response.collections);
}

// ---- transactions -----------------------------------------------------------------------------------------

void fields(auto& visitor, maybe_const<condition_check> auto& action) {
    visitor.required("TableName", action.table_name);
    visitor.required("Key", action.key);
    condition_fields(visitor, action);
}
void fields(auto& visitor, maybe_const<transact_put> auto& action) {
    visitor.required("TableName", action.table_name);
    visitor.required("Item", action.new_item);
    condition_fields(visitor, action);
}
void fields(auto& visitor, maybe_const<transact_update> auto& action) {
    visitor.required("TableName", action.table_name);
    visitor.required("Key", action.key);
    condition_fields(visitor, action);
}
void fields(auto& visitor, maybe_const<transact_delete> auto& action) {
    visitor.required("TableName", action.table_name);
    visitor.required("Key", action.key);
    condition_fields(visitor, action);
}
void fields(auto& visitor, maybe_const<transact_write_items_request> auto& request) {
    visitor.required("TransactItems", request.actions);
    visitor.optional("ClientRequestToken", request.client_request_token);
    capacity_field(visitor, request);
    collection_field(visitor, request);
}
void fields(auto& visitor, maybe_const<transact_write_items_response> auto& response) {
    visitor.optional("ConsumedCapacity", response.consumed);
    visitor.optional("ItemCollectionMetrics", response.collections);
}

void fields(auto& visitor, maybe_const<transact_get> auto& get) {
    visitor.nested("Get", [&get](auto& inner) {
        inner.required("TableName", get.table_name);
        inner.required("Key", get.key);
        projection_fields(inner, get);
    });
}
void fields(auto& visitor, maybe_const<transact_get_items_request> auto& request) {
    visitor.required("TransactItems", request.gets);
    capacity_field(visitor, request);
}
/// One answer of several: an object without an item where none was found.
void fields(auto& visitor, maybe_const<std::optional<item>> auto& found) {
    visitor.optional("Item", found);
}
void fields(auto& visitor, maybe_const<transact_get_items_response> auto& response) {
    visitor.required("Responses", response.items);
    visitor.optional("ConsumedCapacity", response.consumed);
}

void fields(auto& visitor, maybe_const<cancellation_reason> auto& reason) {
    visitor.expected("Code", reason.code);
    visitor.optional("Message", reason.message);
    visitor.optional("Item", reason.current);
}

}  // namespace dynalease::codec
