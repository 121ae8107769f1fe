// A session of another process, in words: for those who waited for it in vain, and for the log.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "session/protocol/session_watch.hpp"

#include <string>
#include <string_view>

namespace dynalease::protocol {

/// @param owner empty: it is not known
std::string words_of_session(std::string_view id, std::string_view owner);
/// With its owner, where that is known. @param about null: nothing is
std::string words_of_session(std::string_view id, const session_watch* about);

}  // namespace dynalease::protocol
