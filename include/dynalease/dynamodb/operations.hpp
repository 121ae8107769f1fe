// The operations of the DynamoDB API as plain structs. Field names follow the service's own, in snake_case;
// a field left at its default is not sent.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/detail/braced.hpp>
#include <dynalease/dynamodb/attribute_value.hpp>
#include <dynalease/dynamodb/item.hpp>
#include <dynalease/dynamodb/table_operations.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease {

using attribute_names = std::map<std::string, std::string, std::less<>>;       ///< "#n" to the real name
using attribute_values = std::map<std::string, attribute_value, std::less<>>;  ///< ":v" to the value

enum class return_values { none, all_old, updated_old, all_new, updated_new };

struct consumed_capacity {
    std::string table_name;
    double capacity_units = 0;            ///< of the table and all its indexes
    std::optional<double> read_units{};   ///< of a transaction that reads
    std::optional<double> write_units{};  ///< of a transaction that writes
    /// With `capacity_by_index`: the same, apart. The table's own; indexes by name.
    std::optional<double> table_units{};
    std::map<std::string, double> global_index_units{};
    std::map<std::string, double> local_index_units{};
};

/// How large the items of one partition key are together. Only tables with local indexes have a limit for that, 10 GB,
/// and only they report it.
struct item_collection_metrics {
    item_key key{};                       ///< the partition key
    std::vector<double> size_range_gb{};  ///< two bounds of an estimate

    bool operator==(const item_collection_metrics&) const = default;
};

// ---- single items -----------------------------------------------------------------------------------------

struct put_item_response {
    item attributes;  ///< with `return_values::all_old`: what was there before
    std::optional<consumed_capacity> consumed;
    std::optional<item_collection_metrics> collection{};
};
struct put_item_request {
    using response = put_item_response;
    static constexpr std::string_view name = "PutItem";
    detail::braced<std::string> table_name;
    detail::braced<item> new_item;
    detail::braced<std::string> condition_expression{};
    detail::braced<attribute_names> names{};
    detail::braced<attribute_values> values{};
    return_values returned = return_values::none;  ///< none or all_old
    bool current_on_refusal = false;  ///< a refused condition brings the present item (ALL_OLD), at no cost
    bool report_capacity = false;
    bool capacity_by_index = false;  ///< with `report_capacity`
    bool report_collection = false;  ///< ask for `collection`
};

struct get_item_response {
    std::optional<item> found;  ///< empty: no such item
    std::optional<consumed_capacity> consumed;
};
struct get_item_request {
    using response = get_item_response;
    static constexpr std::string_view name = "GetItem";
    detail::braced<std::string> table_name;
    detail::braced<item_key> key;
    bool consistent_read = false;
    detail::braced<std::string> projection_expression{};
    detail::braced<attribute_names> names{};
    bool report_capacity = false;
    bool capacity_by_index = false;
};

struct update_item_response {
    item attributes;  ///< as `returned` asked
    std::optional<consumed_capacity> consumed;
    std::optional<item_collection_metrics> collection{};
};
struct update_item_request {
    using response = update_item_response;
    static constexpr std::string_view name = "UpdateItem";
    detail::braced<std::string> table_name;
    detail::braced<item_key> key;
    detail::braced<std::string> update_expression{};
    detail::braced<std::string> condition_expression{};
    detail::braced<attribute_names> names{};
    detail::braced<attribute_values> values{};
    return_values returned = return_values::none;
    bool current_on_refusal = false;
    bool report_capacity = false;
    bool capacity_by_index = false;
    bool report_collection = false;  ///< ask for `collection`
};

struct delete_item_response {
    item attributes;
    std::optional<consumed_capacity> consumed;
    std::optional<item_collection_metrics> collection{};
};
struct delete_item_request {
    using response = delete_item_response;
    static constexpr std::string_view name = "DeleteItem";
    detail::braced<std::string> table_name;
    detail::braced<item_key> key;
    detail::braced<std::string> condition_expression{};
    detail::braced<attribute_names> names{};
    detail::braced<attribute_values> values{};
    return_values returned = return_values::none;  ///< none or all_old
    bool current_on_refusal = false;
    bool report_capacity = false;
    bool capacity_by_index = false;
    bool report_collection = false;  ///< ask for `collection`
};

// ---- many items -------------------------------------------------------------------------------------------

/// Which attributes a Query or Scan answers with.
enum class selection {
    unspecified,     ///< all, of an index the projected ones, or what `projection_expression` names
    all_attributes,  ///< of a local index at the cost of reading the items too
    all_projected_attributes,
    specific_attributes,  ///< needs a `projection_expression`
    count,                ///< none, only how many
};

struct page_response {
    std::vector<item> items;
    std::int64_t count = 0;
    std::int64_t scanned_count = 0;
    item_key last_evaluated_key;  ///< empty: this was the last page
    std::optional<consumed_capacity> consumed;
};
struct query_request {
    using response = page_response;
    static constexpr std::string_view name = "Query";
    detail::braced<std::string> table_name{};
    detail::braced<std::string> key_condition_expression;
    detail::braced<std::string> index_name{};
    detail::braced<std::string> filter_expression{};
    detail::braced<std::string> projection_expression{};
    detail::braced<attribute_names> names{};
    detail::braced<attribute_values> values{};
    detail::braced<item_key> exclusive_start_key{};
    std::optional<std::int32_t> limit{};
    bool scan_index_forward = true;
    bool consistent_read = false;
    selection select = selection::unspecified;
    bool report_capacity = false;
    bool capacity_by_index = false;
};
struct scan_request {
    using response = page_response;
    static constexpr std::string_view name = "Scan";
    detail::braced<std::string> table_name{};
    detail::braced<std::string> index_name{};
    detail::braced<std::string> filter_expression{};
    detail::braced<std::string> projection_expression{};
    detail::braced<attribute_names> names{};
    detail::braced<attribute_values> values{};
    detail::braced<item_key> exclusive_start_key{};
    std::optional<std::int32_t> limit{};
    std::optional<std::int32_t> segment{};
    std::optional<std::int32_t> total_segments{};
    bool consistent_read = false;
    selection select = selection::unspecified;
    bool report_capacity = false;
    bool capacity_by_index = false;
};

struct keys_and_options {
    detail::braced<std::vector<item_key>> keys;
    bool consistent_read = false;
    detail::braced<std::string> projection_expression{};
    detail::braced<attribute_names> names{};
};
struct batch_get_item_response {
    std::map<std::string, std::vector<item>> items;       ///< by table
    std::map<std::string, keys_and_options> unprocessed;  ///< ask again for these
    std::vector<consumed_capacity> consumed;
};
struct batch_get_item_request {  ///< at most 100 keys
    using response = batch_get_item_response;
    static constexpr std::string_view name = "BatchGetItem";
    detail::braced<std::map<std::string, keys_and_options>> tables;
    bool report_capacity = false;
    bool capacity_by_index = false;
};

struct batch_put {
    detail::braced<item> new_item;
};
struct batch_delete {
    detail::braced<item_key> key;
};
using batch_write = std::variant<batch_put, batch_delete>;
struct batch_write_item_response {
    std::map<std::string, std::vector<batch_write>> unprocessed;  ///< send these again
    std::vector<consumed_capacity> consumed;
    std::map<std::string, std::vector<item_collection_metrics>> collections{};  ///< by table
};
struct batch_write_item_request {  ///< at most 25 writes; no conditions
    using response = batch_write_item_response;
    static constexpr std::string_view name = "BatchWriteItem";
    detail::braced<std::map<std::string, std::vector<batch_write>>> tables;
    bool report_capacity = false;
    bool capacity_by_index = false;
    bool report_collection = false;  ///< ask for `collections`
};

// ---- transactions -----------------------------------------------------------------------------------------

struct condition_check {
    detail::braced<std::string> table_name;
    detail::braced<item_key> key;
    detail::braced<std::string> condition_expression;
    detail::braced<attribute_names> names{};
    detail::braced<attribute_values> values{};
    bool current_on_refusal = false;
};
struct transact_put {
    detail::braced<std::string> table_name;
    detail::braced<item> new_item;
    detail::braced<std::string> condition_expression{};
    detail::braced<attribute_names> names{};
    detail::braced<attribute_values> values{};
    bool current_on_refusal = false;
};
struct transact_update {
    detail::braced<std::string> table_name;
    detail::braced<item_key> key;
    detail::braced<std::string> update_expression;
    detail::braced<std::string> condition_expression{};
    detail::braced<attribute_names> names{};
    detail::braced<attribute_values> values{};
    bool current_on_refusal = false;
};
struct transact_delete {
    detail::braced<std::string> table_name;
    detail::braced<item_key> key;
    detail::braced<std::string> condition_expression{};
    detail::braced<attribute_names> names{};
    detail::braced<attribute_values> values{};
    bool current_on_refusal = false;
};
using transact_write = std::variant<condition_check, transact_put, transact_update, transact_delete>;

struct transact_write_items_response {
    std::vector<consumed_capacity> consumed;
    std::map<std::string, std::vector<item_collection_metrics>> collections{};  ///< by table
};
struct transact_write_items_request {  ///< at most 100 actions on distinct items, 4 MB
    using response = transact_write_items_response;
    static constexpr std::string_view name = "TransactWriteItems";
    detail::braced<std::vector<transact_write>> actions;
    /// Up to 36 characters; makes a repeat within 10 minutes harmless. Empty: the client makes one.
    detail::braced<std::string> client_request_token{};
    bool report_capacity = false;
    bool capacity_by_index = false;
    bool report_collection = false;  ///< ask for `collection`
};

struct transact_get {
    detail::braced<std::string> table_name;
    detail::braced<item_key> key;
    detail::braced<std::string> projection_expression{};
    detail::braced<attribute_names> names{};
};
struct transact_get_items_response {
    /// In the order asked; empty also where the projection names nothing of the item.
    std::vector<std::optional<item>> items;
    std::vector<consumed_capacity> consumed;
};
struct transact_get_items_request {
    using response = transact_get_items_response;
    static constexpr std::string_view name = "TransactGetItems";
    detail::braced<std::vector<transact_get>> gets;
    bool report_capacity = false;
    bool capacity_by_index = false;
};

// ---- any of them ------------------------------------------------------------------------------------------

using any_request =
    std::variant<put_item_request, get_item_request, update_item_request, delete_item_request, query_request,
                 scan_request, batch_get_item_request, batch_write_item_request, transact_write_items_request,
                 transact_get_items_request, create_table_request, describe_table_request, delete_table_request,
                 list_tables_request, update_time_to_live_request, describe_time_to_live_request, update_table_request,
                 tag_resource_request, untag_resource_request, list_tags_of_resource_request, describe_limits_request,
                 describe_endpoints_request>;

/// The response of the request; Query and Scan share one.
using any_response =
    std::variant<put_item_response, get_item_response, update_item_response, delete_item_response, page_response,
                 batch_get_item_response, batch_write_item_response, transact_write_items_response,
                 transact_get_items_response, create_table_response, describe_table_response, delete_table_response,
                 list_tables_response, update_time_to_live_response, describe_time_to_live_response,
                 update_table_response, tag_resource_response, untag_resource_response, list_tags_of_resource_response,
                 describe_limits_response, describe_endpoints_response>;

template <class T>
concept operation = requires {
    typename T::response;
    { T::name } -> std::convertible_to<std::string_view>;
};

/// The operation's name, such as "UpdateItem".
std::string_view operation_name(const any_request& request) noexcept;
/// The (first) table a request is about, or its ARN; empty for requests about no certain table.
std::string_view table_of(const any_request& request) noexcept;
/// Whether the request changes anything: only then can an unanswered attempt leave doubt.
bool is_write(const any_request& request) noexcept;

}  // namespace dynalease
#pragma GCC visibility pop
