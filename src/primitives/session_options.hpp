// The limits of a session's and a lock's options.
#pragma once

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/lock.hpp>
#include <dynalease/session.hpp>

#include <memory>
#include <optional>
#include <string>

namespace dynalease::detail {

/// The options with their defaults filled in. @throws dynalease::error that names the field at fault.
session_options checked(session_options options);
plain_session_options checked(plain_session_options options);
lock_options checked(const lock_options& options);
/// @throws dynalease::error with `errc::invalid_name`.
std::string checked_lock_name(std::string name);
/// For a verb, which tells it to its handler.
std::optional<failure> malformed_table_name(const std::string& name);
/// @throws dynalease::error with `errc::invalid_name`.
void check_table_name(const std::string& name);

/// The session, which must have a row, since others would look there for its life.
/// @throws dynalease::error with `errc::invalid_option`.
const std::shared_ptr<session_core>& with_row(const std::shared_ptr<session_core>& core, const char* primitive);

}  // namespace dynalease::detail
