// From the text of an expression to its tree. Bounded: by length, by depth and by number of operators.
#pragma once

#include "local/expression/tree.hpp"

#include <string_view>

namespace dynalease::local::expression {

/// A condition, filter or key condition. Refuses malformed text with DynamoDB's words, less the leading
/// "Invalid ConditionExpression: ".
parsed<condition> parse_condition(std::string_view text);
parsed<update> parse_update(std::string_view text);
parsed<projection> parse_projection(std::string_view text);

}  // namespace dynalease::local::expression
