// What the library asks of a generator beyond its raw numbers.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/runtime/random.hpp>

namespace dynalease {

std::uint64_t random::below(std::uint64_t bound) {
    if (bound == 0) return 0;
    // The last 2^64 mod bound numbers would make the small remainders more likely: draw again. Never for zero, which is
    // all that a replayed tape has left at its end.
    const std::uint64_t surplus = (0 - bound) % bound;
    std::uint64_t drawn = next();
    while (drawn > ~surplus) drawn = next();
    return drawn % bound;
}

double random::unit() {
    constexpr double step = 1.0 / 9007199254740992.0;  // 2^-53: as many bits as a double holds exactly
    return static_cast<double>(next() >> 11) * step;
}

}  // namespace dynalease
