// What somebody is told who waits while no request is answered.
// SPDX-License-Identifier: BSL-1.0
#include "session/protocol/outage.hpp"

#include <string>

namespace dynalease::protocol {

std::optional<failure> outage::unheard(time_point came, bool waited) const {
    if (!since_) return std::nullopt;
    const auto why = last_since(came);
    const auto now = session_.now();
    const auto silent = now - *since_;
    const bool answered_to_him = answered_at_ && *answered_at_ >= came;
    // Where nothing is known from before, either, a wait need not be long to tell: but for a request that has only just
    // been sent.
    const bool lately = answered_at_ && now - *answered_at_ < silence_to_tell;
    const bool all_the_while = waited && silent >= (now - came) / 2;
    const bool never_answered = !answered_to_him && (why || (!lately && all_the_while));
    if (!never_answered && silent < silence_to_tell) return std::nullopt;
    // Somebody else's transaction keeps the request back: the service is there.
    if (why && condition_of(why->code) == condition::contended) return std::nullopt;
    if (why) return *detail::told_newcomer(why);
    failure open(errc::timeout);
    const auto ms = std::chrono::floor<std::chrono::milliseconds>(silent).count();
    const auto time = ms < 1000 ? std::to_string(ms) + " ms" : std::to_string(ms / 1000) + " s";
    open.details.message = "a request has had no answer for " + time + " when the wait ended";
    return open;
}

}  // namespace dynalease::protocol
