// Clock correction: what is learnt, what is not, and how a stale offset heals.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/aws/clock_skew.hpp>

#include <catch2/catch.hpp>

using namespace dynalease::aws;
using namespace std::chrono_literals;
using std::chrono::milliseconds;

namespace {

const wall_time local = parse_iso8601("2026-03-01T12:00:00Z").value();

}  // namespace

TEST_CASE("strictly more than four minutes, either way, is learnt; without a date nothing is") {
    for (const milliseconds difference : {milliseconds{4min + 1ms}, milliseconds{1h}, -milliseconds{4min + 1ms}}) {
        clock_skew skew;
        CHECK(skew.refused(0ms, local, local + difference));
        CHECK(skew.offset() == difference);
        CHECK(skew.corrected(local) == local + difference);
    }
    for (const milliseconds difference : {0ms, milliseconds{4min}, -milliseconds{4min}, 1000ms}) {
        clock_skew skew;
        CHECK_FALSE(skew.refused(0ms, local, local + difference));
        CHECK(skew.offset() == 0ms);
    }
    clock_skew skew;
    CHECK_FALSE(skew.refused(0ms, local, std::nullopt));
}

TEST_CASE("a correction that did not help is not repeated: then the secret is wrong") {
    clock_skew skew;
    REQUIRE(skew.refused(0ms, local, local + 1h));
    CHECK_FALSE(skew.refused(skew.offset(), local + 1s, local + 1h + 1s));
    CHECK(skew.offset() == 1h);
}

TEST_CASE("an offset heals once the clock has been set") {
    clock_skew skew;
    REQUIRE(skew.refused(0ms, local, local + 1h));
    const wall_time set = local + 1h;
    CHECK(skew.refused(skew.offset(), set, local + 1h));
    CHECK(skew.offset() == 0ms);
}

TEST_CASE("an attempt signed before another call learnt the offset is tried again with it") {
    clock_skew skew;
    REQUIRE(skew.refused(0ms, local, local + 1h));
    CHECK(skew.refused(0ms, local + 1s, local + 1h + 1s));
    CHECK(skew.offset() == 1h);
}
