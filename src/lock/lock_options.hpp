// The limits of a lock's name and options.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/lock/lock.hpp>

#include <string>

namespace dynalease::detail {

/// @throws dynalease::error that names the field at fault.
lock_options checked(const lock_options& options);
/// @throws dynalease::error with `errc::invalid_name`.
std::string checked_lock_name(std::string name);

}  // namespace dynalease::detail
