// What all roles of the demonstration agree on.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/session.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace demo {

inline constexpr std::string_view table = "demo";
inline constexpr std::array<std::string_view, 6> accounts{"alice", "bob", "carol", "dave", "erin", "frank"};
inline constexpr std::int64_t opening_balance = 100;
inline constexpr std::size_t workers = 5;

/// A short lease, so that a dead worker's locks move while somebody watches.
inline constexpr std::chrono::milliseconds worker_lease{2000};
inline constexpr std::chrono::milliseconds worker_heartbeat{500};

inline constexpr std::size_t many_leases = 10'000;
inline constexpr std::chrono::milliseconds holder_lease{4000};
inline constexpr std::chrono::milliseconds holder_heartbeat{1000};

inline dynalease::session_options session_options(std::string owner, std::chrono::milliseconds lease,
                                                  std::chrono::milliseconds heartbeat) {
    dynalease::session_options options;
    options.table = std::string(table);
    options.owner = std::move(owner);
    options.lease = lease;
    options.heartbeat = heartbeat;
    return options;
}

}  // namespace demo
