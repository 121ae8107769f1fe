// The operations, one function each. They throw `refusal` for faults of the request.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "local/operations/database_state.hpp"

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/dynamodb/operations.hpp>

#include <chrono>
#include <map>
#include <string>

namespace dynalease::local {

/// Where an operation works: the tables, and the time it is.
struct context {
    database_state& state;
    std::chrono::sys_time<std::chrono::milliseconds> now;

    std::chrono::sys_seconds seconds() const { return std::chrono::floor<std::chrono::seconds>(now); }
    table& table_named(std::string_view name) const { return state.table_named(name, seconds()); }
    table& described_table(std::string_view name) const { return state.described_table(name, seconds()); }
};

/// The ARN of an encryption key from any of its names; of no name, the account's own for DynamoDB.
std::string arn_of_key(const std::string& key);

/// Refuses a stream, which nobody could read here.
[[noreturn]] void refuse_stream();

/// Refuses more than 50 tags, and characters that no tag has.
void check_tags(const std::map<std::string, std::string>& tags);

result<any_response> execute(const context& in, const put_item_request& request);
result<any_response> execute(const context& in, const get_item_request& request);
result<any_response> execute(const context& in, const update_item_request& request);
result<any_response> execute(const context& in, const delete_item_request& request);
result<any_response> execute(const context& in, const query_request& request);
result<any_response> execute(const context& in, const scan_request& request);
result<any_response> execute(const context& in, const batch_get_item_request& request);
result<any_response> execute(const context& in, const batch_write_item_request& request);
result<any_response> execute(const context& in, const transact_write_items_request& request);
result<any_response> execute(const context& in, const transact_get_items_request& request);
result<any_response> execute(const context& in, const create_table_request& request);
result<any_response> execute(const context& in, const describe_table_request& request);
result<any_response> execute(const context& in, const delete_table_request& request);
result<any_response> execute(const context& in, const list_tables_request& request);
result<any_response> execute(const context& in, const update_time_to_live_request& request);
result<any_response> execute(const context& in, const describe_time_to_live_request& request);
result<any_response> execute(const context& in, const update_table_request& request);
result<any_response> execute(const context& in, const tag_resource_request& request);
result<any_response> execute(const context& in, const untag_resource_request& request);
result<any_response> execute(const context& in, const list_tags_of_resource_request& request);
result<any_response> execute(const context& in, const describe_limits_request& request);
result<any_response> execute(const context& in, const describe_endpoints_request& request);

}  // namespace dynalease::local
