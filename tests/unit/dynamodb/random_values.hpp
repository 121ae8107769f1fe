// Random attribute values of every type, by seed.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/attribute_value.hpp>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

namespace dynalease::test {

class random_values {
public:
    explicit random_values(std::uint32_t seed) : engine_(seed) {}

    /// From 0 to the limit, which is not reached.
    std::size_t below(std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(engine_); }
    bool coin() { return below(2) == 0; }

    /// UTF-8 of one to four bytes, control characters and quotes among it.
    std::string text();
    number decimal_number();
    binary bytes();
    attribute_value value(unsigned depth = 0);
    attribute_map members(unsigned depth = 0);

private:
    std::mt19937 engine_;
};

}  // namespace dynalease::test
