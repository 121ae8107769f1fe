// The client's counters: by the number of the operation while they count, by name when asked for.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "client/attempt.hpp"
#include "counters/tallied.hpp"
#include "http/pool.hpp"

#include <dynalease/client.hpp>
#include <dynalease/dynamodb/operations.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <variant>

namespace dynalease::detail {

class call_counters {
public:
    void attempted(std::size_t operation, const attempt& what);
    /// Its answer, or the end of the wait for it, came so long after it was sent.
    void took(std::size_t operation, std::chrono::nanoseconds time) { operations_[operation].latency.observe(time); }
    void retried() { ++retries_; }
    void corrected_clock() { ++skew_corrections_; }

    /// Any thread: each figure is that of a moment of its own.
    client_counters snapshot(const http::pool_counters& ordinary, const http::pool_counters& heartbeat) const;

private:
    /// By the names of `client_counters::per_operation`.
    struct of_operation {
        tallied attempts;
        tallied applied;
        tallied not_applied;
        tallied unknown;
        tallied_times latency;
    };
    std::array<of_operation, std::variant_size_v<any_request>> operations_{};
    tallied retries_;
    tallied throttled_;
    tallied bad_checksums_;
    tallied skew_corrections_;
};

}  // namespace dynalease::detail
