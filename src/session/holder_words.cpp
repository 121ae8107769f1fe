// Who has what somebody waited for in vain, in words.
// SPDX-License-Identifier: BSL-1.0
#include "session/holder_words.hpp"

#include "session/protocol/session_words.hpp"
#include "session/session_impl.hpp"

#include <chrono>

namespace dynalease::detail {

std::string seconds_since(const session_impl& core, dynalease::time_point since) {
    return std::to_string(std::chrono::floor<std::chrono::seconds>(core.now() - since).count()) + " s";
}

std::string words_of_own_hold(const session_impl& core, dynalease::time_point since) {
    return "this process has held it for " + seconds_since(core, since) +
           "; a caller that holds a lock and acquires it again waits for itself";
}

std::string words_of_hold(session_impl& core, const std::string& session, dynalease::time_point since) {
    return protocol::words_of_session(session, core.remotes().known(session)) + " has held it for at least " +
           seconds_since(core, since);
}

failure with_last_seen(failure unheard, const std::string& who) {
    auto& words = unheard.details.message;
    if (!who.empty()) words += (words.empty() ? "as last seen, " : "; as last seen, ") + who;
    return unheard;
}

}  // namespace dynalease::detail
