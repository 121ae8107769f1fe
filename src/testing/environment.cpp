// Virtual time and seeded chance. A process runs one handler at a time, so it needs no strand, which a copy that
// travels on after a crash would use when it is gone.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/testing/environment.hpp>
#include <dynalease/testing/seeded_random.hpp>

#include <memory>

namespace dynalease::testing {

environment make_environment(process& process, std::uint64_t seed, const virtual_clock_options& clock) {
    return {process.get_executor(), std::make_shared<virtual_clock>(process, clock), seeded_random(seed)};
}

environment make_environment(scheduler& scheduler, std::uint64_t seed) {
    return make_environment(scheduler.main(), seed);
}

}  // namespace dynalease::testing
