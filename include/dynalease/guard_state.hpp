// What has become of a grant.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/named.hpp>

#include <string_view>

#pragma GCC visibility push(default)
namespace dynalease {

enum class guard_state {
    empty,     ///< holds nothing: default-made, moved from, or a try that found it held
    held,      ///< ours
    jeopardy,  ///< ours until the deadline, but heartbeats (of a plain lock: its renewals) go unanswered
    lost,      ///< no longer ours; final
    released,  ///< given back by us, or its session was closed; from the call on that does it
};
constexpr std::string_view to_string(guard_state value) noexcept {
    using enum guard_state;
    switch (value) {
        case empty:
            return "empty";
        case held:
            return "held";
        case jeopardy:
            return "jeopardy";
        case lost:
            return "lost";
        case released:
            return "released";
    }
    return "unknown";
}

}  // namespace dynalease
#pragma GCC visibility pop
