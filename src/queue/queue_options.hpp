// The limits of a queue's options.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "session/session_impl.hpp"

#include <dynalease/queue/queue.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace dynalease::detail {

/// @throws dynalease::error that names the field at fault.
queue_options checked(queue_options options);
/// @throws dynalease::error with `errc::invalid_name`.
std::string checked_entity(std::string entity);
/// Null, or what is wrong with them. @param queues so many are entered together
shared_failure fault_of(const enter_options& options, std::size_t queues = 1);

}  // namespace dynalease::detail
