// The operations about tables, their indexes, tags and time to live, as plain structs; and about the service itself.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <dynalease/detail/braced.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease {

enum class scalar_type { s, n, b };  ///< string, number, binary: what a key may be
struct key_attribute {
    detail::braced<std::string> name;
    scalar_type type = scalar_type::s;

    friend bool operator==(const key_attribute&, const key_attribute&) = default;
};
/// What an item's place is made of: the hash attribute chooses where it lies, the range attribute orders it there. Only
/// a global index may have several of each, at most four: they count one after another.
struct key_schema {
    key_attribute hash;
    std::optional<key_attribute> range{};
    detail::braced<std::vector<key_attribute>> more_hash{};  ///< of a global index: the hash attributes after the first
    detail::braced<std::vector<key_attribute>> more_range{};  ///< the range attributes after the first

    friend bool operator==(const key_schema&, const key_schema&) = default;
};

enum class billing_mode { pay_per_request, provisioned };
/// Capacity units per second; both at least 1, with `billing_mode::provisioned` only.
struct throughput {
    std::int64_t read_units = 0;
    std::int64_t write_units = 0;
};

enum class projection { all, keys_only, include };
struct secondary_index {
    detail::braced<std::string> name;
    key_schema key;
    projection projected = projection::all;
    detail::braced<std::vector<std::string>> included{};  ///< with `projection::include`
    std::optional<throughput> provisioned{};              ///< of a global index of a table with provisioned billing
};
struct index_description : secondary_index {
    std::string status;  ///< of a global index: "ACTIVE", "CREATING", ...
    std::int64_t item_count = 0;
    std::int64_t size_bytes = 0;
    std::string arn;
};

/// The most units per second that a table billed per request may take; what is empty has no limit.
struct on_demand_limits {
    std::optional<std::int64_t> read_units{};
    std::optional<std::int64_t> write_units{};

    friend bool operator==(const on_demand_limits&, const on_demand_limits&) = default;
};
/// The key, of the Key Management Service, that a table is encrypted with at rest instead of DynamoDB's own.
struct encryption {
    detail::braced<std::string> key{};  ///< its ARN, id or alias; empty: the account's key for DynamoDB
};

/// What a table's stream records of each change. Streams are described and not kept by the embedded server.
enum class stream_view { keys_only, new_image, old_image, new_and_old_images };

struct table_description {
    std::string table_name;
    std::string status;  ///< "ACTIVE", "CREATING", ...
    key_schema key;
    std::vector<index_description> global_indexes{};
    std::vector<index_description> local_indexes{};
    std::int64_t item_count = 0;  ///< of AWS some hours old, as is the size
    std::int64_t size_bytes = 0;
    std::string arn{};
    std::string id{};
    double created = 0;  ///< seconds since 1970
    billing_mode billing = billing_mode::pay_per_request;
    throughput provisioned{};             ///< zeros when the table is billed per request
    double pay_per_request_since = 0;     ///< seconds since 1970; 0: never was
    bool deletion_protected = false;      ///< DeleteTable is refused
    std::optional<stream_view> stream{};  ///< empty: no stream
    std::string table_class{};            ///< empty: "STANDARD"
    std::optional<on_demand_limits> on_demand{};
    std::optional<encryption> encrypted{};
};

struct create_table_response {
    table_description table;
};
struct create_table_request {
    using response = create_table_response;
    static constexpr std::string_view name = "CreateTable";
    detail::braced<std::string> table_name;
    key_schema key;
    detail::braced<std::vector<secondary_index>> global_indexes{};  ///< at most 20
    detail::braced<std::vector<secondary_index>> local_indexes{};   ///< at most 5; the hash key is the table's
    billing_mode billing = billing_mode::pay_per_request;
    std::optional<throughput> provisioned{};
    bool deletion_protected = false;
    std::optional<stream_view> stream{};
    detail::braced<std::string> table_class{};
    std::optional<on_demand_limits> on_demand{};  ///< with `billing_mode::pay_per_request` only
    std::optional<encryption> encrypted{};
    detail::braced<std::map<std::string, std::string>> tags{};
};

struct describe_table_response {
    table_description table;
};
struct describe_table_request {
    using response = describe_table_response;
    static constexpr std::string_view name = "DescribeTable";
    detail::braced<std::string> table_name;
};

struct update_index {
    detail::braced<std::string> name;
    throughput provisioned;
};
struct delete_index {
    detail::braced<std::string> name;
};
using index_change = std::variant<secondary_index, update_index, delete_index>;  ///< the first is created
struct update_table_response {
    table_description table;
};
struct update_table_request {  ///< what is empty stays as it is
    using response = update_table_response;
    static constexpr std::string_view name = "UpdateTable";
    detail::braced<std::string> table_name;
    std::optional<billing_mode> billing{};
    std::optional<throughput> provisioned{};
    detail::braced<std::vector<index_change>> index_changes{};  ///< at most one creation or deletion at a time
    std::optional<bool> deletion_protected{};
    std::optional<bool> stream_enabled{};
    std::optional<stream_view> stream{};  ///< with `stream_enabled` true
    detail::braced<std::string> table_class{};
    std::optional<on_demand_limits> on_demand{};
    std::optional<bool> encryption_enabled{};  ///< false: back to DynamoDB's own key
    std::optional<encryption> encrypted{};     ///< with `encryption_enabled` true
};

struct delete_table_response {
    table_description table;
};
struct delete_table_request {
    using response = delete_table_response;
    static constexpr std::string_view name = "DeleteTable";
    detail::braced<std::string> table_name;
};

struct list_tables_response {
    std::vector<std::string> table_names;
    std::string last_evaluated_table_name;  ///< empty: this was the last page
};
struct list_tables_request {
    using response = list_tables_response;
    static constexpr std::string_view name = "ListTables";
    detail::braced<std::string> exclusive_start_table_name{};
    std::optional<std::int32_t> limit{};  ///< 1 to 100, which is the default
};

struct update_time_to_live_response {
    std::string attribute_name{};
    bool enabled = false;
};
struct update_time_to_live_request {
    using response = update_time_to_live_response;
    static constexpr std::string_view name = "UpdateTimeToLive";
    detail::braced<std::string> table_name;
    detail::braced<std::string> attribute_name;
    bool enabled = true;
};
struct describe_time_to_live_response {
    std::string attribute_name;
    std::string status;  ///< "ENABLED", "DISABLED", ...
};
struct describe_time_to_live_request {
    using response = describe_time_to_live_response;
    static constexpr std::string_view name = "DescribeTimeToLive";
    detail::braced<std::string> table_name;
};

struct tag_resource_response {};
struct tag_resource_request {
    using response = tag_resource_response;
    static constexpr std::string_view name = "TagResource";
    detail::braced<std::string> resource_arn;  ///< of a table
    detail::braced<std::map<std::string, std::string>> tags;
};
struct untag_resource_response {};
struct untag_resource_request {
    using response = untag_resource_response;
    static constexpr std::string_view name = "UntagResource";
    detail::braced<std::string> resource_arn;
    detail::braced<std::vector<std::string>> tag_keys;
};
struct list_tags_of_resource_response {
    std::map<std::string, std::string> tags;
    std::string next_token;  ///< empty: these were the last
};
struct list_tags_of_resource_request {
    using response = list_tags_of_resource_response;
    static constexpr std::string_view name = "ListTagsOfResource";
    detail::braced<std::string> resource_arn;
    detail::braced<std::string> next_token{};
};

struct describe_limits_response {  ///< capacity units per second
    std::int64_t account_read_units = 0;
    std::int64_t account_write_units = 0;
    std::int64_t table_read_units = 0;
    std::int64_t table_write_units = 0;
};
struct describe_limits_request {
    using response = describe_limits_response;
    static constexpr std::string_view name = "DescribeLimits";
};
struct service_endpoint {
    std::string address;  ///< "host:port"
    std::int64_t cache_minutes = 0;
};
struct describe_endpoints_response {
    std::vector<service_endpoint> endpoints;
};
struct describe_endpoints_request {
    using response = describe_endpoints_response;
    static constexpr std::string_view name = "DescribeEndpoints";
};

}  // namespace dynalease
#pragma GCC visibility pop
