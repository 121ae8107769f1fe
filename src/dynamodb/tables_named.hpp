// The tables that a failure of a request is about.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/operations.hpp>

#include <string>
#include <string_view>

#pragma GCC visibility push(default)  // dynalease::local or dynalease::testing uses it, too
namespace dynalease::detail {

/// The one that the service's words name; else all of the request, for any of them may be the one at fault.
std::string tables_named(const any_request& request, std::string_view message);

}  // namespace dynalease::detail
#pragma GCC visibility pop
