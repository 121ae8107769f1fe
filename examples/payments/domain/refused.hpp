// Why a request to the payment system is refused.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/describe/enum.hpp>

#include <stdexcept>
#include <string>

namespace payments {

enum class problem {
    // For good: the same request will be refused again.
    invalid,          ///< a value makes no sense
    not_found,        ///< there is no such intent
    wrong_state,      ///< the intent is beyond that
    payload_differs,  ///< the Idempotency-Key came with another request before
    // For now: try again.
    in_progress,       ///< a request with that Idempotency-Key is being worked on
    busy,              ///< somebody else has the intent locked
    conflict,          ///< somebody else changed the intent meanwhile
    lost,              ///< the lock was lost before the change was written: it was not
    already_received,  ///< that answer of the gateway is in the inbox
    unknown,           ///< the change was sent and not answered: look at the intent
};
BOOST_DESCRIBE_ENUM(problem, invalid, not_found, wrong_state, payload_differs, in_progress, busy, conflict, lost,
                    already_received, unknown)

class refused : public std::runtime_error {
public:
    refused(problem what, const std::string& why) : std::runtime_error(why), problem_(what) {}

    problem what_is_wrong() const noexcept { return problem_; }
    /// Whether the same request would be refused for ever.
    bool for_good() const noexcept { return problem_ <= problem::payload_differs; }

private:
    problem problem_;
};

}  // namespace payments
