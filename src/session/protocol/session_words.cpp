// A session of another process, in words.
// SPDX-License-Identifier: BSL-1.0
#include "session/protocol/session_words.hpp"

namespace dynalease::protocol {

std::string words_of_session(std::string_view id, std::string_view owner) {
    auto words = "session " + std::string(id);
    if (!owner.empty()) words += " of " + std::string(owner);
    return words;
}

std::string words_of_session(std::string_view id, const session_watch* about) {
    return words_of_session(id, about != nullptr ? std::string_view(about->owner()) : std::string_view());
}

std::string words_of_miss(std::string_view what, const failure& why, std::chrono::nanoseconds left) {
    const bool unheard = why.outcome == outcome::unknown;
    return std::string(what) + (unheard ? " had no answer" : " failed: " + why.code.message()) +
           "; another is sent. The lease ends in " +
           std::to_string(std::chrono::floor<std::chrono::milliseconds>(left).count()) +
           " ms unless one is answered before";
}

}  // namespace dynalease::protocol
