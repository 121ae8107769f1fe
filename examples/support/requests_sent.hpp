// How many requests a client has sent, of all kinds, each attempt counted.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/client.hpp>

#include <cstdint>

namespace support {

inline std::uint64_t requests_sent(const dynalease::client& client) {
    std::uint64_t sum = 0;
    const auto counters = client.counters();
    for (const auto& [operation, counted] : counters.operations) sum += counted.attempts;
    return sum;
}

}  // namespace support
