// What the service charges an update expression against the limit of an item.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "local/expression/bindings.hpp"
#include "local/expression/tree.hpp"

#include <cstddef>

namespace dynalease::local::expression {

/// The bytes that the expression carries, whatever the item has: its targets, paths and values, and some for each
/// clause and operator. An UpdateItem is held to the limit of an item by these too. Nowhere documented; measured on
/// AWS by others, to the byte.
std::size_t size_to_write(const update& tree, const bindings& bound);

}  // namespace dynalease::local::expression
