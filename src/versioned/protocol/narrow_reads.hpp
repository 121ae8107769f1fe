// Reads that bring no more of an item than a struct has members for.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item/protocol/item_attributes.hpp"

#include <dynalease/dynamodb/path.hpp>

#include <string>
#include <vector>

namespace dynalease::protocol {

/// What has to be read of an item so that these members of it can be shown and saved: beside them the key, the state,
/// who holds it, and what a transaction keeps of all these.
std::vector<path> shown_attributes(const item_layout& layout, const std::vector<std::string>& members);

}  // namespace dynalease::protocol
