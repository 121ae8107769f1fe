// The parts of an item that a projection asks for.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "local/expression/bindings.hpp"
#include "local/expression/tree.hpp"

namespace dynalease::local::expression {

/// Refuses overlapping paths.
void check(const projection& tree, const bindings& bound);

/// A projection bound to its placeholders once, for any number of items. Must not outlive the request.
class projector {
public:
    projector(const projection& tree, const bindings& bound);

    /// Parts that do not exist are left out; list elements close up, in their order.
    item operator()(const item& whole) const;

private:
    std::vector<resolved_path> paths_;  ///< sorted
    allowance& allowed_;
};

}  // namespace dynalease::local::expression
