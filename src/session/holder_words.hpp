// Who has what somebody waited for in vain, in words.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/runtime/time.hpp>

#include <chrono>
#include <string>

namespace dynalease::detail {

class hold;
class session_impl;

/// In seconds, or where there is none in milliseconds.
std::string words_of_time(std::chrono::nanoseconds time);
std::string time_since(const session_impl& core, dynalease::time_point since);
/// A caller of this process has it. @param present its grant; null: that is on its way back @param reads as below
std::string words_of_own_hold(const session_impl& core, dynalease::time_point since, const hold* present,
                              bool reads = false);
/// Another session has it. @param since when that was first seen @param reads beside other readers
std::string words_of_hold(session_impl& core, const std::string& session, dynalease::time_point since,
                          bool reads = false);
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
