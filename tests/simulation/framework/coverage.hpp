// What a campaign met: faults, rare paths, and how much of the primitive's life went by.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/runtime/time.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace dynalease::simulation {

/// Counts by name. A world counts in its own and is added to the campaign's at its end.
struct coverage {
    using counts = std::map<std::string_view, std::uint64_t>;  ///< names are string literals

    counts faults;
    counts points;
    /// Time during which a lock (a queue, an item) was in use, summed over all of them.
    std::chrono::nanoseconds lived{};

    void fault(std::string_view name) { ++faults[name]; }
    void hit(std::string_view point, std::uint64_t times = 1) {
        if (times != 0) points[point] += times;
    }
    void add(const coverage& other) {
        for (const auto& [name, times] : other.faults) faults[name] += times;
        for (const auto& [name, times] : other.points) points[name] += times;
        lived += other.lived;
    }
};

}  // namespace dynalease::simulation
