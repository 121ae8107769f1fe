// Billing, streams, limits of use and encryption in CreateTable and UpdateTable, as the service reads them.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "dynamodb/table_fields.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace dynalease::codec {

[[noreturn]] void refuse_table(std::string what);
[[noreturn]] void refuse_table_parameter(std::string what);

/// Refuses a request to make or change a table that has a member which nothing here would heed.
void refuse_unserved(json_input in);

/// Refuses capacity beyond what can be counted.
void check_bounds(const throughput& units);
void check_billing(const create_table_request& request);

struct stream_request {
    std::optional<bool> enabled;
    std::optional<stream_view> view;
};
/// What a wrong stream is refused with.
struct stream_words {
    const char* without_view;
    const char* with_view;
};
inline constexpr stream_words created_stream{
    "Table is being created with a stream enabled, UpdateViewType is required",
    "Table is being created with a stream disabled, UpdateViewType should not be specified"};
inline constexpr stream_words updated_stream{"If stream is being enabled then UpdateViewType is required",
                                             "If stream is being disabled, then UpdateViewType must not be specified"};
stream_request read_stream(json_input in, const stream_words& words);

/// Refuses limits of a table with capacity of its own, and limits that allow nothing.
void check_on_demand(const std::optional<on_demand_limits>& limits, std::optional<billing_mode> billing);

/// Empty: with a key of the service's own.
std::optional<encryption> read_encryption(json_input in);

void check_table_class(const std::string& name);

/// Refuses a change of the class, the protection or the encryption together with any other: the service makes those
/// alone. Limits of use it changes with the billing only.
void check_alone(const update_table_request& request, bool has_index_changes);

}  // namespace dynalease::codec
