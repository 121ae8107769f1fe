// The parameters from before there were expressions. The embedded server takes them by saying the same in expressions.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "dynamodb/json_reader.hpp"

#include <dynalease/dynamodb/operations.hpp>

#include <string>
#include <string_view>

namespace dynalease::codec {

/// Refuses old and new parameters in one request, and placeholders without an expression.
/// @param operation says which parameters count; one that takes no expressions is never refused.
void check_parameter_mix(json_input body, std::string_view operation);

/// Where a translated parameter goes.
struct expression_target {
    std::string& text;
    attribute_names& names;
    attribute_values& values;
};

/// AttributesToGet, as a projection.
void read_attributes_to_get(json_input body, std::string& projection, attribute_names& names);
/// Expected with ConditionalOperator, as a condition.
void read_expected(json_input body, expression_target out);
/// The service measures an item before it looks at Expected; the engine measures it again, after the expressions.
void check_size_before_expected(json_input body, const item& whole);
/// QueryFilter or ScanFilter, as a condition.
void read_conditions(json_input body, std::string_view parameter, expression_target out);
/// KeyConditions, as a condition; also one that no key condition may be, for only who knows the table refuses it.
void read_key_conditions(json_input body, expression_target out);
/// AttributeUpdates, as an update.
void read_attribute_updates(json_input body, expression_target out);

}  // namespace dynalease::codec
