// How often those who wait for a lock look, and how long an absent one is waited for.
// SPDX-License-Identifier: BSL-1.0
#include "lock/protocol/lock_requests.hpp"
#include "lock/protocol/lock_times.hpp"

#include <catch2/catch.hpp>

namespace dynalease::protocol {

using namespace std::chrono_literals;

namespace {
constexpr time_point at(std::chrono::nanoseconds since) {
    return time_point(since);
}
}  // namespace

TEST_CASE("all waiting processes together read about eight times a second") {
    CHECK(poll_interval(1, 140ms, 0.5) == 140ms);
    CHECK(poll_interval(1, 140ms, 0) == 126ms);
    for (std::size_t n = 2; n <= line_capacity; ++n) {
        const auto mean = std::chrono::duration<double>(poll_interval(n, 140ms, 0.5)).count();
        CHECK(static_cast<double>(n) / mean <= 14.3);
        CHECK(mean >= static_cast<double>(n) / 8.3 - 1e-6);
    }
}

TEST_CASE("rarer looks") {
    CHECK(overflow_interval(0) == 15s);
    CHECK(overflow_interval(1) == 30s);
    CHECK(no_show_after(1) == 1650ms);
    for (std::size_t n = 1; n <= line_capacity; ++n) {
        CHECK(no_show_after(n) > poll_interval(n, longest_poll_interval, 1) + 100ms);
    }
}

TEST_CASE("an absent head is told by two looks at an unchanged row") {
    head_watch head;
    lock_row row{.floor = 5, .line = {"x", "y"}};
    CHECK_FALSE(head.sight(row, true, at(10s)));
    CHECK_FALSE(head.sight(row, true, at(11'649ms)));
    CHECK(head.sight(row, true, at(11'650ms)));
    row.floor = 6;
    CHECK_FALSE(head.sight(row, true, at(12s)));
    row.line = {"y"};
    CHECK_FALSE(head.sight(row, true, at(13s)));
    CHECK_FALSE(head.sight(row, false, at(14s)));
    CHECK_FALSE(head.sight(row, true, at(15s)));
    CHECK(head.sight(row, true, at(17s)));
}

TEST_CASE("a released row outlives every token in it") {
    CHECK(lock_row_expiry(wall_time(1000ms), 0, 24h) == 86'401);
    CHECK(lock_row_expiry(wall_time(1001ms), 0, 24h) == 86'402);
    CHECK(lock_row_expiry(wall_time(1000ms), 5001, 24h) == 86'406);
}

}  // namespace dynalease::protocol
