// The key that a coordination table has, and what is told of a table that has another.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/database.hpp>
#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/dynamodb/table_operations.hpp>

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <string>

namespace dynalease::detail {

/// @param code to tell it with @returns empty: it can be a coordination table
std::optional<failure> fault_of_key(const table_description& table, errc code);
/// The same of the table as it stands; also empty where that cannot be learnt.
boost::asio::awaitable<std::optional<failure>> look_for_key_fault(database target, std::string table);
/// Why a request about a row of the coordination table failed: of one that the service calls malformed, that the table
/// has another key, where that is so. One request more then.
boost::asio::awaitable<failure> explained_by_key(database target, std::string table, failure why);

}  // namespace dynalease::detail
