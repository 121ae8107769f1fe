// The middle one of several figures, since machines are noisy.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace bench {

inline double median(std::vector<double> values) {
    if (values.empty()) throw std::runtime_error("nothing was measured");
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

}  // namespace bench
