// From the attempts of a call to its one failure: what happened over all, in which words, with what advice.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "client/attempt.hpp"

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/dynamodb/operations.hpp>

#include <string>

namespace dynalease::detail {

/// @param last the last attempt
/// @param doubt whether any attempt, the last included, may have changed the table
/// @param tried how many attempts were made
/// @param where the endpoint's URL, for the advice
failure call_failure(attempt last, const any_request& request, bool doubt, unsigned tried, const std::string& where);

}  // namespace dynalease::detail
