// Tickets that are missing, given up, or over.
// SPDX-License-Identifier: BSL-1.0
#include "queue/protocol/known_places.hpp"

#include <algorithm>

namespace dynalease::protocol {

bool known_places::add_over(std::int64_t ticket) {
    const auto where = std::lower_bound(over.begin(), over.end(), ticket);
    if (where != over.end() && *where == ticket) return false;
    over.insert(where, ticket);
    return true;
}

std::int64_t known_places::over_before(std::int64_t ticket) const {
    return std::lower_bound(over.begin(), over.end(), ticket) - over.begin();
}

void known_places::forget_passed(std::int64_t passed) {
    missing.forget(0, passed);
    voids.erase(voids.begin(), voids.upper_bound(passed));
    over.erase(over.begin(), std::upper_bound(over.begin(), over.end(), passed));
}

void known_places::forget_all() {
    missing.clear();
    voids.clear();
    over.clear();
}

}  // namespace dynalease::protocol
