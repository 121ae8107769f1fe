// How what is built on a handle reaches what stands behind it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#pragma GCC visibility push(default)
namespace dynalease::detail {

/// The one friend of such handles: a new primitive needs no line in the class of a handle that it is made from.
struct access {
    template <class Handle>
    static const auto& core_of(const Handle& handle) noexcept {
        return handle.core_;
    }
};

}  // namespace dynalease::detail
#pragma GCC visibility pop
