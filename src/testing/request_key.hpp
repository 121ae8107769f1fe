// A request's (first) key as text, for logs.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/operations.hpp>

#include <string>

namespace dynalease::testing {

/// The values of the key in the order of their names, joined by "/". Of an item to be put, whose key attributes the
/// request does not name, those of "pk" and "sk". Empty when the request names no key.
std::string request_key(const any_request& request);

}  // namespace dynalease::testing
