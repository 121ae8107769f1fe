// Chance by seed, the same on every machine: what the random programs are made with.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace dynalease::conformance {

class dice {
public:
    explicit dice(std::uint64_t seed) : state_(seed) {}

    /// From 0 to the limit, which is not reached.
    std::size_t below(std::size_t limit) { return static_cast<std::size_t>(next() % limit); }
    bool percent(unsigned chance) { return below(100) < chance; }
    template <class T>
    const T& pick(std::span<const T> from) {
        return from[below(from.size())];
    }
    template <class Container>
    const auto& pick(const Container& from) {
        return from[below(from.size())];
    }

private:
    /// SplitMix64.
    std::uint64_t next() {
        std::uint64_t mixed = state_ += 0x9e3779b97f4a7c15U;
        mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
        mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
        return mixed ^ (mixed >> 31U);
    }

    std::uint64_t state_;
};

}  // namespace dynalease::conformance
