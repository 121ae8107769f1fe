// Which faults are counted: as eu-west-2 was seen to do it by dynoxide 0.12.0 (its CHANGELOG.md).
// SPDX-License-Identifier: BSL-1.0
#include "local/codec/wording.hpp"

#include <algorithm>
#include <iterator>

namespace dynalease::codec {

namespace {

/// How their texts begin; nothing that a request holds stands so far in front.
constexpr std::string_view counted[] = {
    "Can not use both expression and non-expression parameters",
    "ExpressionAttributeValues can only be specified when using expressions",
    "Input collection contains duplicates",
    "Invalid ConditionExpression: ",
    "Invalid UpdateExpression: ",
    "One or more parameter values were invalid: Binary sets should not be empty",
    "One or more parameter values were invalid: An number set  may not be empty",
    "One or more parameter values were invalid: An string set  may not be empty",
    "One or more parameter values were invalid: Input collection [",
    "One or more parameter values were invalid: Null attribute value types must have the value of true",
    "ReturnValues can only be ALL_OLD or NONE",
};

/// In front of what is wrong with a value of an expression.
constexpr std::string_view of_a_placeholder = "ExpressionAttributeValues contains invalid value: ";

/// Of an expression that is there and says nothing.
constexpr std::string_view empty_expression = "The expression can not be empty;";

}  // namespace

void count_fault(std::string_view operation, std::string& message) {
    if (operation != "PutItem" && operation != "UpdateItem") return;
    std::string_view fault = message;
    if (fault.starts_with(of_a_placeholder)) fault.remove_prefix(of_a_placeholder.size());
    const bool is_counted =
        std::any_of(std::begin(counted), std::end(counted), [&](auto each) { return fault.starts_with(each); });
    if (is_counted && !fault.ends_with(empty_expression)) message.insert(0, "1 validation error detected: ");
}

}  // namespace dynalease::codec
