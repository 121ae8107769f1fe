// A session of another process, in words: for those who waited for it in vain, and for the log.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "session/protocol/session_watch.hpp"

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/runtime/time.hpp>

#include <chrono>
#include <string>
#include <string_view>

namespace dynalease::protocol {

/// @param owner empty: it is not known
std::string words_of_session(std::string_view id, std::string_view owner);
/// With its owner, where that is known. @param about null: nothing is
std::string words_of_session(std::string_view id, const session_watch* about);
/// What happened, and what the service said of it.
std::string words_of_failure(const failure& why);

/// What became of the heartbeats since the last that was acknowledged.
struct heartbeat_silence {
    unsigned sent = 0;
    time_point last_sent{};
    std::string last_failure{};  ///< empty: none has failed; the last may be under way
    time_point failed_at{};
};
/// Why a lease has run out, or soon will. @param acknowledged when the last heartbeat was sent that was @param due when
/// it was time to notice
std::string words_of_silence(const heartbeat_silence& seen, time_point acknowledged, time_point due, time_point now);
/// What keeps a lease alive has failed. @param what it is, with its article @param left until the lease ends
std::string words_of_miss(std::string_view what, const failure& why, std::chrono::nanoseconds left);

}  // namespace dynalease::protocol
