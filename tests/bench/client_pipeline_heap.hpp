// The heap of a bench: how often memory was asked for, and how much is held.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

namespace bench {

struct heap_use {
    std::size_t allocations = 0;  ///< since the start
    std::size_t bytes = 0;        ///< held now
};

/// Counts what goes through `operator new`, of this program alone.
heap_use heap() noexcept;

}  // namespace bench
