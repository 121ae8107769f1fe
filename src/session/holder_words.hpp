// Who has what somebody waited for in vain, in words.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/runtime/time.hpp>

#include <string>
#include <string_view>

namespace dynalease::detail {

class hold;
class session_impl;

/// In seconds, or where there is none in milliseconds.
std::string time_since(const session_impl& core, dynalease::time_point since);
/// A caller of this process has it. @param present its grant; null: that is on its way back @param reads as below
std::string words_of_own_hold(const session_impl& core, dynalease::time_point since, const hold* present,
                              bool reads = false);
/// What others have, in three tenses.
struct words_of_having {
    std::string_view present;
    std::string_view perfect;
    std::string_view past;
};
/// When somebody else had it, from the first sight of that to the last: nobody knows what has become of it since.
struct seen_having {
    dynalease::time_point first;
    dynalease::time_point last;
};
std::string words_of_sight(const session_impl& core, const words_of_having& words, const seen_having& seen);
/// Another session has it. @param reads beside other readers
std::string words_of_hold(session_impl& core, const std::string& session, const seen_having& seen, bool reads = false);
/// ... and whether its heartbeat was seen to move, to be added to those words. Empty: nobody here has looked, or it is
/// over.
std::string words_of_heartbeat(session_impl& core, const std::string& session);
/// To one who asked until it was known whether the others live.
failure told_until_known(failure others);
/// Nobody answered: who has it is not known now.
bool leaves_holder_open(const failure& why);
/// Of an outage, with what was seen before it; any other failure as it is. @param who empty: nobody was
failure with_last_seen(failure unheard, const std::string& who);

}  // namespace dynalease::detail
