// The client's counters: by the number of the operation while they count, by name when asked for.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "client/attempt.hpp"
#include "http/pool.hpp"

#include <dynalease/client.hpp>
#include <dynalease/dynamodb/operations.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <variant>

namespace dynalease::detail {

class call_counters {
public:
    void attempted(std::size_t operation, const attempt& what);
    /// Its answer, or the end of the wait for it, came so long after it was sent.
    void took(std::size_t operation, std::chrono::nanoseconds time) { operations_[operation].latency.observe(time); }
    void retried() { ++retries_; }
    void corrected_clock() { ++skew_corrections_; }

    client_counters snapshot(const http::pool_counters& ordinary, const http::pool_counters& heartbeat) const;

private:
    std::array<client_counters::per_operation, std::variant_size_v<any_request>> operations_{};
    std::uint64_t retries_ = 0;
    std::uint64_t throttled_ = 0;
    std::uint64_t bad_checksums_ = 0;
    std::uint64_t skew_corrections_ = 0;
};

}  // namespace dynalease::detail
