// What a failure was about, as its request tells.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/dynamodb/operations.hpp>

#include <string>
#include <string_view>

#pragma GCC visibility push(default)  // dynalease::local or dynalease::testing uses it, too
namespace dynalease::detail {

/// The one that the service's words name; else all of the request, for any of them may be the one at fault.
std::string tables_named(const any_request& request, std::string_view message);

/// Operation, table and key; of several actions those of the first that was refused, which the message then names.
void name_request(failure& why, const any_request& request);

}  // namespace dynalease::detail
#pragma GCC visibility pop
