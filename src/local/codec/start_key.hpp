// ExclusiveStartKey of a request.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "dynamodb/json_reader.hpp"

#include <dynalease/dynamodb/operations.hpp>

namespace dynalease::codec {

/// Most of what is wrong with one of its values is told to be wrong with the key.
void read_start_key(json_input body, item_key& key);

}  // namespace dynalease::codec
