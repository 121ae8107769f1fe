// What some work costs the processor.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <ctime>
#include <limits>

namespace dynalease::tests {

/// The least of several runs: whatever else the machine does only adds to it.
template <class Work>
double processor_seconds(const Work& work) {
    auto least = std::numeric_limits<double>::max();
    for (int i = 0; i < 3; ++i) {
        const auto began = std::clock();
        work();
        least = std::min(least, static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC);
    }
    return least;
}

}  // namespace dynalease::tests
