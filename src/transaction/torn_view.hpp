// Whether what a body has read was so at one moment: what it threw may be for what never was.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "transaction/transactions_impl.hpp"

#include <dynalease/error.hpp>

#include <memory>

namespace dynalease::detail {

/// Whether the body may have seen what never was so. What one answer told it was so once.
bool may_be_torn(const open_transaction& of);

/// Reads it all once more, together: `errc::conflict` where some of it has changed since.
struct verify_verb {
    std::shared_ptr<open_transaction> attempt;

    void operator()(diagnostics* details, handler_for<void> handler) &&;
};

}  // namespace dynalease::detail
