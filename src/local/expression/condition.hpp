// Whether a condition, or a filter, holds for an item.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "local/expression/bindings.hpp"
#include "local/expression/tree.hpp"

namespace dynalease::local::expression {

/// Refuses operands that no item could make sense of: `a < :map`, BETWEEN with bounds in the wrong order.
void check(const condition& tree, const bindings& bound);

/// Needs a tree that `check` passed. An absent item is an empty one.
bool holds(const condition& tree, const item& subject, const bindings& bound);

}  // namespace dynalease::local::expression
