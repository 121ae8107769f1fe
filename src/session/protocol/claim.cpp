// The choice of a token.
// SPDX-License-Identifier: BSL-1.0
#include "session/protocol/claim.hpp"

#include <algorithm>

namespace dynalease::protocol {

std::int64_t choose_token(wall_time wall, std::int64_t last_token_here, std::int64_t highest_floor_seen) {
    return std::max<std::int64_t>({wall.time_since_epoch().count(), last_token_here + 1, highest_floor_seen + 1});
}

std::int64_t token_lead(unsigned refusals_in_a_row) {
    if (refusals_in_a_row < 2) return 0;
    return std::int64_t{64} << (3 * std::min(refusals_in_a_row - 2, 2u));
}

}  // namespace dynalease::protocol
