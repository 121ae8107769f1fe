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

TEST_CASE(
    "whoever begins to wait looks again when the first lease is up, once, and for as long as it finds dead ones") {
    const time_point now(10s);
    const auto next = [&](unsigned surveys, bool any_over, std::vector<time_point> lease_ends) {
        return next_survey({surveys, any_over, std::move(lease_ends), now});
    };
    CHECK(next(1, false, {now + 4s}) == now + 4s);
    CHECK(next(1, false, {now - 4s}) == now);
    CHECK_FALSE(next(2, false, {now + 4s}));
    CHECK(next(7, true, {now + 4s}) == now + 4s);
    CHECK_FALSE(next(1, true, {}));
    // Who was first looked at together is judged together.
    CHECK(next(1, false, {now + 5s, now + 4500ms, now + 4s, now + 5001ms}) == now + 5s);
}

}  // namespace dynalease::protocol
