// What all roles agree on: how many contend for what, and the times that the promises are measured by.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace torture {

inline constexpr std::string_view table = "torture";
inline constexpr std::size_t worker_count = 6;
inline constexpr std::size_t name_count = 3;        ///< locks or queues that all of them contend for
inline constexpr std::size_t tasks_per_worker = 2;  ///< so that they are handed on inside a process as well

/// The shortest lease there is: the more of them pass in a run, the better.
inline constexpr std::chrono::milliseconds lease{1000};
inline constexpr std::uint32_t clock_drift_ppm = 1000;

/// What transactions move about: what all accounts hold together never changes.
inline constexpr std::size_t account_count = 12;
inline constexpr std::int64_t opening_balance = 100;
inline constexpr std::int64_t total_funds = static_cast<std::int64_t>(account_count) * opening_balance;

/// The workers' limits for one attempt of a request, and for a request with all its attempts.
inline constexpr std::chrono::milliseconds attempt_limit{400};
inline constexpr std::chrono::milliseconds request_limit{2000};

}  // namespace torture
