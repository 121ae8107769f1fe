// The limits of a session's options.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/session.hpp>

#include <memory>

namespace dynalease::detail {

/// The options with their defaults filled in. @throws dynalease::error that names the field at fault.
session_options checked(session_options options);
plain_session_options checked(plain_session_options options);

/// The session, which must have a row, since others would look there for its life.
/// @throws dynalease::error with `errc::invalid_option`.
const std::shared_ptr<session_lives>& with_row(const std::shared_ptr<session_lives>& lives, const char* primitive);

}  // namespace dynalease::detail
