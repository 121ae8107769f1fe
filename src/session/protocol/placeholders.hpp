// The attribute names of a request's expressions.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/operations.hpp>

#include <span>
#include <string_view>

namespace dynalease::protocol {

/// What stands in the text of an expression for an attribute: many of their names are reserved words.
struct placeholder {
    std::string_view text;
    const char* attribute;
};

/// Names what the expressions of the request use, and nothing else, which the service would refuse.
/// @param known all that they may use
void name_attributes(update_item_request& request, std::span<const placeholder> known);

}  // namespace dynalease::protocol
