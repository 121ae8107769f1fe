// A fast generator of our own: reproducible from a seed, or seeded by the kernel.
#pragma once

#include <dynalease/runtime/random.hpp>

#include <array>
#include <cstdint>

namespace dynalease::runtime {

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

/// 256 bits from the kernel.
/// @throws boost::system::system_error if the kernel gives none.
std::array<std::uint64_t, 4> kernel_entropy();

}  // namespace dynalease::runtime
