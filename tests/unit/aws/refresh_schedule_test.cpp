// When keys are fetched anew.
// SPDX-License-Identifier: BSL-1.0
#include "aws/refresh_schedule.hpp"

#include <catch2/catch.hpp>

namespace {

using namespace dynalease;
using namespace dynalease::aws;
using namespace std::chrono_literals;

constexpr auto noon = wall_time{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1} + 12h};

credentials expiring(wall_time when) {
    return {"A", "S", "T", std::chrono::floor<std::chrono::seconds>(when)};
}

}  // namespace

TEST_CASE("keys without an end are fresh for ever") {
    refresh_schedule times;
    times.fetched({"A", "S"}, noon, 0.5);
    CHECK(times.at(noon + 10'000h) == freshness::fresh);
}

TEST_CASE("others are fetched 15 minutes ahead, or half the life of short ones, spread by chance") {
    for (const double chance : {0.0, 0.5, 0.999}) {
        refresh_schedule times;
        times.fetched(expiring(noon + 6h), noon, chance);
        CHECK(times.at(noon + 5h + 44min) == freshness::fresh);
        CHECK(times.at(noon + 5h + 49min) == freshness::due);
        CHECK(times.at(noon + 6h) == freshness::expired);
        times.fetched(expiring(noon + 10min), noon, chance);
        CHECK(times.at(noon + 4min) == freshness::fresh);
        CHECK(times.at(noon + 7min) == freshness::due);
    }
    refresh_schedule early;
    refresh_schedule late;
    early.fetched(expiring(noon + 6h), noon, 0);
    late.fetched(expiring(noon + 6h), noon, 0.9);
    CHECK(early.at(noon + 5h + 46min) == freshness::due);
    CHECK(late.at(noon + 5h + 46min) == freshness::fresh);
}

TEST_CASE("a source that failed is left alone for half a minute, and expired keys serve meanwhile") {
    refresh_schedule times;
    times.fetched(expiring(noon + 1h), noon, 0);
    times.failed(noon + 2h, 0);
    CHECK(times.at(noon + 2h + 29s) == freshness::fresh);
    // Asked again, and nobody waits for a source that was away just now.
    CHECK(times.at(noon + 2h + 31s) == freshness::due);
    CHECK(times.at(noon + 2h + 59s) == freshness::due);
    CHECK(times.at(noon + 2h + 61s) == freshness::expired);
    times.failed(noon + 50min, 0.999);
    CHECK(times.at(noon + 50min + 59s) == freshness::fresh);
    CHECK(times.at(noon + 51min) == freshness::due);
}

TEST_CASE("keys that come expired are used, and asked for again after a pause") {
    refresh_schedule times;
    times.fetched(expiring(noon - 1h), noon, 0);
    CHECK(times.at(noon) == freshness::fresh);
    CHECK(times.at(noon + 31s) == freshness::due);
}
