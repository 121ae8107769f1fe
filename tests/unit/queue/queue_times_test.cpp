// The times of a queue.
// SPDX-License-Identifier: BSL-1.0
#include "queue/protocol/queue_times.hpp"

#include <catch2/catch.hpp>

namespace dynalease::protocol {

using namespace std::chrono_literals;

TEST_CASE("an idle queue's head outlives every ticket in it, though they were drawn by a clock far ahead") {
    const auto by_the_wall = idle_head_expiry(wall_time(1000ms), 0);
    CHECK(idle_head_expiry(wall_time(1001ms), 0) == by_the_wall + 1);
    CHECK(idle_head_expiry(wall_time(1000ms), 5001) == by_the_wall + 5);
}

}  // namespace dynalease::protocol
