// A session of another process, in words.
// SPDX-License-Identifier: BSL-1.0
#include "session/protocol/session_words.hpp"

namespace dynalease::protocol {

std::string words_of_session(std::string_view id, const session_watch* about) {
    auto words = "session " + std::string(id);
    if (about != nullptr && !about->owner().empty()) words += " of " + about->owner();
    return words;
}

}  // namespace dynalease::protocol
