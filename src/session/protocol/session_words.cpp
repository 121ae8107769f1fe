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

namespace {

std::string milliseconds_of(std::chrono::nanoseconds time) {
    return std::to_string(std::chrono::floor<std::chrono::milliseconds>(time).count()) + " ms";
}

/// So late that is noticed only where something kept this process from running.
constexpr std::chrono::seconds stood_still{1};

}  // namespace

std::string words_of_failure(const failure& why) {
    if (why.outcome == outcome::unknown) return "it had no answer";
    auto words = why.code.message();
    if (!why.details.message.empty()) words += ": " + why.details.message;
    return words;
}

std::string words_of_silence(const heartbeat_silence& seen, time_point acknowledged, time_point due, time_point now) {
    auto words = "no heartbeat was acknowledged for " + milliseconds_of(now - acknowledged);
    if (seen.sent == 0) {
        words += ", and none was sent";
    } else if (seen.last_failure.empty()) {
        words += "; the last, sent " + milliseconds_of(now - seen.last_sent) + " ago, has had no answer";
    } else {
        words += "; of " + std::to_string(seen.sent) + " that were sent the last failed " +
                 milliseconds_of(now - seen.failed_at) + " ago: " + seen.last_failure;
    }
    if (now - due >= stood_still) {
        words += "; this process, or the loop that runs it, stood still for at least " + milliseconds_of(now - due);
    }
    return words;
}

std::string words_of_miss(std::string_view what, const failure& why, std::chrono::nanoseconds left) {
    const bool unheard = why.outcome == outcome::unknown;
    return std::string(what) + (unheard ? " had no answer" : " failed: " + why.code.message()) +
           "; another is sent. The lease ends in " + milliseconds_of(left) + " unless one is answered before";
}

}  // namespace dynalease::protocol
