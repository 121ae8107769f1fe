// What has become of a grant.
// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace dynalease {

enum class guard_state {
    empty,     ///< holds nothing: default-made, moved from, or a try that found it held
    held,      ///< ours
    jeopardy,   ///< ours until the deadline, but heartbeats (of a plain lock: its renewals) go unanswered
    lost,      ///< no longer ours; final
    released,  ///< given back by us, or its session was closed; from the call on that does it
};

}  // namespace dynalease
