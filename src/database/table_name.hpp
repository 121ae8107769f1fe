// What a table may be called.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/failure.hpp>

#include <optional>
#include <string>

namespace dynalease::detail {

/// For a verb, which tells it to its handler.
std::optional<failure> malformed_table_name(const std::string& name);
/// @throws dynalease::error with `errc::invalid_name`.
void check_table_name(const std::string& name);

}  // namespace dynalease::detail
