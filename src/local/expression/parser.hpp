// From the text of an expression to its tree. Bounded: by length, by depth and by number of operators.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "local/expression/tree.hpp"

#include <string_view>

namespace dynalease::local::expression {

/// A condition, filter or key condition. Refuses malformed text with DynamoDB's words, less the leading
/// "Invalid ConditionExpression: ".
/// @param is_translated whether it says an older parameter, for which the limits of expressions do not hold.
parsed<condition> parse_condition(std::string_view text, bool is_translated);
parsed<update> parse_update(std::string_view text, bool is_translated);
parsed<projection> parse_projection(std::string_view text, bool is_translated);

}  // namespace dynalease::local::expression
