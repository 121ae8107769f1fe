// The world of one simulated process, ready to hand to the library.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/runtime/environment.hpp>
#include <dynalease/testing/process.hpp>
#include <dynalease/testing/scheduler.hpp>
#include <dynalease/testing/virtual_clock.hpp>

#include <cstdint>

#pragma GCC visibility push(default)
namespace dynalease::testing {

/// The executor of `process`, which is serial, a clock of its own, and random numbers from `seed`.
environment make_environment(process& process, std::uint64_t seed, const virtual_clock_options& clock = {});

/// The same for the scheduler's main process.
environment make_environment(scheduler& scheduler, std::uint64_t seed);

}  // namespace dynalease::testing
#pragma GCC visibility pop
