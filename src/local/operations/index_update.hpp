// Updates of attributes that are keys of an index.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "local/expression/bindings.hpp"
#include "local/storage/table.hpp"

#include <dynalease/dynamodb/item.hpp>

namespace dynalease::local {

/// Refuses an update that gives such an attribute a type it cannot have, as far as the request alone tells.
void check_index_types(const expression::update& tree, const expression::bindings& bound, const table& of);

/// Refuses one that did so once the item was looked at.
void check_updated_indexes(const expression::projection& targets, const expression::bindings& bound, const table& of,
                           const item& after);

}  // namespace dynalease::local
