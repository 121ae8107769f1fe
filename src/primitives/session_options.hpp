// The limits of a session's and a lock's options.
#pragma once

#include <dynalease/lock.hpp>
#include <dynalease/session.hpp>

#include <string>

namespace dynalease::detail {

/// The options with their defaults filled in. @throws dynalease::error that names the field at fault.
session_options checked(session_options options);
lock_options checked(const lock_options& options);
/// @throws dynalease::error with `errc::invalid_name`.
std::string checked_lock_name(std::string name);
void check_table_name(const std::string& name);

}  // namespace dynalease::detail
