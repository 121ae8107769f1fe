// What a transaction wants written, as it stands in its row: so that another process can carry it on, or undo it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "transaction/protocol/planned_writes.hpp"

#include <dynalease/dynamodb/attribute_value.hpp>
#include <dynalease/dynamodb/failure.hpp>

#include <vector>

namespace dynalease::protocol {

/// As attributes, for people to read too. Without the stamps: whoever carries it on draws its own.
attribute_list stored(const std::vector<planned_item>& items);

/// Fails with `errc::corrupt_row` if it is nothing that `stored` gives.
result<std::vector<planned_item>> planned_in(const attribute_list& writes);

}  // namespace dynalease::protocol
