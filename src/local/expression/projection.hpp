// The parts of an item that a projection asks for.
#pragma once

#include "local/expression/bindings.hpp"
#include "local/expression/tree.hpp"

namespace dynalease::local::expression {

/// Refuses overlapping paths.
void check(const projection& tree, const bindings& bound);

/// Parts that do not exist are left out; list elements close up, in their order.
item project(const item& whole, const projection& tree, const bindings& bound);

}  // namespace dynalease::local::expression
