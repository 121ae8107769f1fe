// Who has what somebody waited for in vain, in words.
// SPDX-License-Identifier: BSL-1.0
#include "session/holder_words.hpp"

#include "session/hold.hpp"
#include "session/protocol/session_words.hpp"
#include "session/session_impl.hpp"

#include <chrono>

namespace dynalease::detail {

namespace {

std::string words_of_time(std::chrono::nanoseconds time) {
    const auto ms = std::chrono::floor<std::chrono::milliseconds>(time).count();
    return ms < 1000 ? std::to_string(ms) + " ms" : std::to_string(ms / 1000) + " s";
}

}  // namespace

std::string time_since(const session_impl& core, dynalease::time_point since) {
    return words_of_time(core.now() - since);
}

std::string words_of_own_hold(const session_impl& core, dynalease::time_point since, const hold* present, bool reads) {
    auto words = std::string("this process has ") + (reads ? "read" : "held") + " it for " + time_since(core, since);
    if (present != nullptr) words += " under token " + std::to_string(present->token());
    return words + (reads ? "; no reader's guard becomes a writer's: release it first"
                          : "; whoever waits for it under that guard waits for itself");
}

std::string words_of_sight(const session_impl& core, const words_of_having& words, const seen_having& seen) {
    const auto ago = core.now() - seen.last;
    const bool lately = ago < std::chrono::seconds(1);
    const auto lasted = lately ? core.now() - seen.first : seen.last - seen.first;
    const bool once = lasted < std::chrono::milliseconds(1);
    const auto for_so_long = once ? std::string() : " for at least " + words_of_time(lasted);
    if (lately) return std::string(once ? words.present : words.perfect) + for_so_long;
    return std::string(words.past) + " " + words_of_time(ago) + " ago" + (once ? "" : "," + for_so_long);
}

std::string words_of_hold(session_impl& core, const std::string& session, const seen_having& seen, bool reads) {
    constexpr words_of_having holding{"holds it", "has held it", "held it"};
    constexpr words_of_having reading{"reads it", "has read it", "read it"};
    return protocol::words_of_session(session, core.remotes().known(session)) + " " +
           words_of_sight(core, reads ? reading : holding, seen);
}

std::string words_of_heartbeat(session_impl& core, const std::string& session) {
    const auto* about = core.remotes().known(session);
    if (about == nullptr || !about->looked_at() || about->over()) return {};
    const auto over_after = words_of_time(about->lease());
    const auto still = time_since(core, about->beat_seen());
    if (about->seen_alive() == about->beat_seen()) {
        return "; its heartbeat was seen to move " + still + " ago; where that stands still for " + over_after +
               " the session is over";
    }
    if (about->last_look() == about->beat_seen())
        return "; whether it lives was not seen, by one look at its heartbeat";
    return "; its heartbeat has not been seen to move for " + still + "; after " + over_after + " the session is over";
}

failure told_until_known(failure others) {
    if (others.code == errc::wait_timeout)
        others.details.advice = "until_known ends once somebody is seen to live; with a time to wait it stands in line";
    return others;
}

bool leaves_holder_open(const failure& why) {
    const auto kind = condition_of(why.code);
    return kind == condition::unreachable || kind == condition::throttled;
}

failure with_last_seen(failure unheard, const std::string& who) {
    auto& words = unheard.details.message;
    if (!who.empty() && leaves_holder_open(unheard))
        words += (words.empty() ? "as last seen, " : "; as last seen, ") + who;
    return unheard;
}

}  // namespace dynalease::detail
