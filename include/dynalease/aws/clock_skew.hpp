// How far this machine's wall clock is from the service's, learnt from refused signatures.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/aws/timestamp.hpp>

#include <chrono>
#include <optional>

#pragma GCC visibility push(default)
namespace dynalease::aws {

/// Corrects the time that requests are signed with, and that tokens and expiries are written with: a machine whose
/// clock is far off works, and its tokens rise above those of others. It must never reach the arithmetic of a lease.
class clock_skew {
public:
    /// The service tolerates five minutes; less than this is not why it refused.
    static constexpr std::chrono::minutes tolerated{4};

    std::chrono::milliseconds offset() const noexcept { return offset_; }
    /// The time to sign with.
    wall_time corrected(wall_time local) const noexcept { return local + offset_; }

    /// An attempt was refused in a way that a wrong clock explains.
    /// @param used the offset that attempt was signed with; another call may have corrected it meanwhile
    /// @param local the local wall time at the answer
    /// @param server the answer's `Date`; empty if it had none
    /// @returns true if the clock explains it: sign again with the present offset. Exactly the tolerated difference
    /// does not.
    bool refused(std::chrono::milliseconds used, wall_time local, std::optional<wall_time> server) noexcept;

private:
    std::chrono::milliseconds offset_{0};
};

}  // namespace dynalease::aws
#pragma GCC visibility pop
