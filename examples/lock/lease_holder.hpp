// The role of one process that holds ten thousand leases on one thread.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace demo {

/// What that process measured of itself.
struct holding {
    std::uint64_t leases = 0;
    double acquire_seconds = 0;
    std::uint64_t requests = 0;  ///< to open the session and acquire them all
    double hold_seconds = 0;
    double writes_per_period = 0;  ///< all requests while holding, per heartbeat period
    double cpu_percent = 0;        ///< of one core, while holding
    std::uint64_t rss_kib = 0;
    std::uint64_t rss_growth_kib = 0;  ///< since before the first lease
    std::uint64_t threads = 0;
    double release_seconds = 0;
    std::uint64_t lost = 0;
};

std::string to_line(const holding& measured);
/// Empty if the line is none of `to_line`.
std::optional<holding> parse_holding(const std::string& line);

/// Tells how far it is on standard output, one line at a time; the last is `to_line`'s.
int run_lease_holder(const std::string& endpoint, std::size_t count);

}  // namespace demo
