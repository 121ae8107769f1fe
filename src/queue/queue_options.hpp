// The limits of a queue's options.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "session/session_impl.hpp"

#include <dynalease/queue/queue.hpp>

#include <optional>
#include <string>

namespace dynalease::detail {

/// @throws dynalease::error that names the field at fault.
queue_options checked(queue_options options);
/// @throws dynalease::error with `errc::invalid_name`.
std::string checked_entity(std::string entity);
/// Null, or what is wrong with them.
shared_failure fault_of(const enter_options& options);

}  // namespace dynalease::detail
