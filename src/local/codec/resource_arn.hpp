// ResourceArn of the requests about tags.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "dynamodb/json_reader.hpp"

#include <string_view>

namespace dynalease::codec {

/// Refuses a request about tags without an ARN, or whose ARN nobody may ask about; before anything else is looked at.
void check_resource_arn(json_input body, std::string_view operation);

}  // namespace dynalease::codec
