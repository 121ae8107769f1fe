// Whether it was that action's condition for which a transaction was refused.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/failure.hpp>

#include <cstddef>

#pragma GCC visibility push(default)
namespace dynalease {

/// Of a transaction that was refused as a whole (`errc::transaction_canceled`): whether the condition of the action at
/// that place was not met. Where a guard's `fence()` stood, the lock or the turn is lost then (`condition::lost`):
///
///     request.actions = {guard.fence(), charge};
///     const auto charged = co_await client.call(std::move(request));
///     if (!charged && dynalease::refused_condition(charged.error(), 0)) throw dynalease::error(errc::lock_lost, {});
inline bool refused_condition(const failure& why, std::size_t action) noexcept {
    return action < why.reasons.size() && why.reasons[action].code == "ConditionalCheckFailed";
}

}  // namespace dynalease
#pragma GCC visibility pop
