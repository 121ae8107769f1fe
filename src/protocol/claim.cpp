// The choice of a token.
#include "protocol/claim.hpp"

#include <algorithm>

namespace dynalease::protocol {

std::int64_t choose_token(wall_time wall, std::int64_t last_token_here, std::int64_t highest_floor_seen) {
    return std::max({wall.time_since_epoch().count(), last_token_here + 1, highest_floor_seen + 1});
}

}  // namespace dynalease::protocol
