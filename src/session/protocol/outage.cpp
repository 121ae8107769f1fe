// What somebody is told who waits while no request is answered.
// SPDX-License-Identifier: BSL-1.0
#include "session/protocol/outage.hpp"

#include <string>

namespace dynalease::protocol {

std::optional<failure> outage::unheard(time_point came) const {
    if (!since_) return std::nullopt;
    const auto why = last_since(came);
    const auto silent = session_.now() - *since_;
    const bool never_answered = why && ended_at_ < came;
    if (!never_answered && silent < silence_to_tell) return std::nullopt;
    // Somebody else's transaction keeps the request back: the service is there.
    if (why && condition_of(why->code) == condition::contended) return std::nullopt;
    if (why) return *detail::told_newcomer(why);
    failure open(errc::timeout);
    const auto seconds = std::chrono::floor<std::chrono::seconds>(silent).count();
    open.details.message = "a request has had no answer for " + std::to_string(seconds) + " s when the wait ended";
    return open;
}

}  // namespace dynalease::protocol
