// What the holder of a lock left in its row, in words.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/item.hpp>

#include <string>

namespace dynalease::detail {

/// As JSON, of one line: quotes, backslashes and control characters are escaped, and binary values told by their size.
/// No more than some 200 bytes; what is left out is told by an ellipsis.
std::string words_of_data(const item& data);

}  // namespace dynalease::detail
