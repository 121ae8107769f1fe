// The limits of an item lock's options, and how a session finds the item.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item_lock/item_lock_impl.hpp"

#include <dynalease/item_lock/item_lock.hpp>

#include <memory>

namespace dynalease::detail {

/// What the process has of that item, by a session's leave. The options that came first hold.
/// @throws dynalease::error with `errc::invalid_name` or `errc::invalid_option`.
item_target item_target_of(const std::shared_ptr<session_impl>& core, item_ref target, item_lock_options options);

}  // namespace dynalease::detail
