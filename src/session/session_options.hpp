// The limits of a session's options.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "session/protocol/lease_times.hpp"

#include <dynalease/session.hpp>

#include <memory>
#include <optional>

namespace dynalease::detail {

/// What every life of a session begins with.
struct session_terms {
    session_options options;  ///< with their defaults filled in
    protocol::lease_times times;
    std::optional<protocol::plain_keeping> plain{};  ///< of one without a row, whose own lease has no end
};

/// @throws dynalease::error that names the field at fault.
session_terms checked(session_options options);
session_terms checked(const plain_session_options& options);

/// The session, which must have a row, since others would look there for its life.
/// @throws dynalease::error with `errc::invalid_option`.
const std::shared_ptr<session_lives>& with_row(const std::shared_ptr<session_lives>& lives, const char* primitive);

}  // namespace dynalease::detail
