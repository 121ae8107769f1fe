// The generator's steps, and the kernel's part.
// SPDX-License-Identifier: BSL-1.0
#include "runtime/system_random.hpp"

#include <boost/system/system_error.hpp>

#include <sys/random.h>

#include <bit>
#include <cerrno>

namespace dynalease::runtime {

std::uint64_t spread(std::uint64_t& seed) noexcept {
    seed += 0x9e3779b97f4a7c15;
    std::uint64_t mixed = seed;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return mixed ^ (mixed >> 31);
}

xoshiro::xoshiro(std::uint64_t seed) noexcept : state_{} {
    for (auto& word : state_) word = spread(seed);
}

xoshiro::xoshiro(const std::array<std::uint64_t, 4>& state) noexcept : state_(state) {}

std::uint64_t xoshiro::next() {
    const std::uint64_t drawn = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return drawn;
}

std::uint64_t kernel_random::next() {
    std::uint64_t drawn = 0;
    // So few bytes come all or not at all.
    while (::getrandom(&drawn, sizeof drawn, 0) < 0) {
        if (errno != EINTR) throw boost::system::system_error(errno, boost::system::system_category(), "getrandom");
    }
    return drawn;
}

}  // namespace dynalease::runtime
