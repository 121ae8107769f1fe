// The library's own generator, seeded.
// SPDX-License-Identifier: BSL-1.0
#include "runtime/system_random.hpp"

#include <dynalease/testing/seeded_random.hpp>

namespace dynalease::testing {

std::shared_ptr<random> seeded_random(std::uint64_t seed) {
    return std::make_shared<runtime::xoshiro>(seed);
}

}  // namespace dynalease::testing
