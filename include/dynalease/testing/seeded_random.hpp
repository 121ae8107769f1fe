// Random numbers that a seed fixes, on every compiler and standard library.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/runtime/random.hpp>

#include <cstdint>
#include <memory>

#pragma GCC visibility push(default)
namespace dynalease::testing {

std::shared_ptr<random> seeded_random(std::uint64_t seed);

}  // namespace dynalease::testing
#pragma GCC visibility pop
