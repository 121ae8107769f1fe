// What an update expression does to an item.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "local/expression/bindings.hpp"
#include "local/expression/tree.hpp"

namespace dynalease::local::expression {

/// Refuses overlapping paths and operands of types that no item could make right.
void check(const update& tree, const bindings& bound);

/// Needs a tree that `check` passed. Every right-hand side sees `before`; `after` must begin as a copy of it.
void apply(const update& tree, const bindings& bound, const item& before, item& after);

}  // namespace dynalease::local::expression
