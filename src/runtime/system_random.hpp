// The kernel's random numbers, and a generator of our own that is reproducible from a seed.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/runtime/random.hpp>

#include <array>
#include <cstdint>

#pragma GCC visibility push(default)  // dynalease::local or dynalease::testing uses it, too
namespace dynalease::runtime {

/// SplitMix64: the next number of a small seed, no two of which begin alike.
std::uint64_t spread(std::uint64_t& seed) noexcept;

/// xoshiro256**: not for secrets. Not thread-safe.
class xoshiro final : public random {
public:
    /// The same numbers for the same seed, everywhere and for ever: simulations replay by it.
    explicit xoshiro(std::uint64_t seed) noexcept;
    explicit xoshiro(const std::array<std::uint64_t, 4>& state) noexcept;

    std::uint64_t next() override;

private:
    std::array<std::uint64_t, 4> state_;
};

/// Each number from the kernel, so that no other thread, and no copy of this process, draws the same. A generator in
/// the process's own memory is copied with it: by fork, or by a machine that starts from an image. Any thread.
class kernel_random final : public random {
public:
    /// @throws boost::system::system_error if the kernel gives none.
    std::uint64_t next() override;
};

}  // namespace dynalease::runtime
#pragma GCC visibility pop
