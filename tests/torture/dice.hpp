// Chance by seed: the same numbers for the same seed and purpose.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cstdint>
#include <random>
#include <string_view>

namespace torture {

class dice {
public:
    dice(std::uint64_t seed, std::string_view purpose) : numbers_(mixed(seed, purpose)) {}

    /// Uniform in [0, bound).
    std::uint64_t below(std::uint64_t bound) { return numbers_() % bound; }
    bool chance(std::uint64_t per_mille) { return below(1000) < per_mille; }
    std::chrono::milliseconds between(std::chrono::milliseconds least, std::chrono::milliseconds most) {
        const auto range = static_cast<std::uint64_t>((most - least).count()) + 1;
        return least + std::chrono::milliseconds(below(range));
    }

private:
    static std::uint64_t mixed(std::uint64_t seed, std::string_view purpose) {
        // FNV-1a, so that purposes draw independently of each other.
        std::uint64_t mix = 14695981039346656037U ^ seed;
        for (const char letter : purpose) mix = (mix ^ static_cast<unsigned char>(letter)) * 1099511628211U;
        return mix;
    }

    std::mt19937_64 numbers_;
};

}  // namespace torture
