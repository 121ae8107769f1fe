// Why a transaction was refused as a whole, action by action.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "database/protocol/reply.hpp"

#include <dynalease/dynamodb/failure.hpp>

namespace dynalease::detail {

enum class joint_reason {
    none,       ///< not this action's doing
    condition,  ///< its condition was false
    conflict,   ///< in the way of other writes
    throttled,  ///< too many of them
    stays,      ///< it would be refused again
};
/// The same may go through a moment later.
constexpr bool passes(joint_reason why) noexcept {
    return why == joint_reason::conflict || why == joint_reason::throttled;
}

inline joint_reason kind_of(const cancellation_reason& reason) {
    if (reason.code.empty() || reason.code == "None") return joint_reason::none;
    if (reason.code == "ConditionalCheckFailed") return joint_reason::condition;
    if (reason.code == "TransactionConflict") return joint_reason::conflict;
    const bool throttled = reason.code == "ThrottlingError" || reason.code == "ProvisionedThroughputExceeded";
    return throttled ? joint_reason::throttled : joint_reason::stays;
}

/// Of an action that would be refused again.
inline failure failure_of(const cancellation_reason& reason) {
    failure why(errc::validation);
    why.details.message = reason.message;
    name_size(why);
    return why;
}

}  // namespace dynalease::detail
