// Timestamps: round trips over centuries, and strictness.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/aws/timestamp.hpp>

#include <catch2/catch.hpp>

#include <random>
#include <string>

using namespace dynalease::aws;
using namespace std::chrono_literals;

TEST_CASE("the signing form is UTC, without fraction, and rolls over at midnight") {
    const wall_time midnight = std::chrono::sys_days{std::chrono::year{2026} / 3 / 1};
    CHECK(amz_timestamp{midnight}.text() == "20260301T000000Z");
    CHECK(amz_timestamp{midnight + 5999ms}.text() == "20260301T000005Z");
    CHECK(amz_timestamp{midnight - 1ms}.text() == "20260228T235959Z");
    CHECK(amz_timestamp{midnight - 1ms}.date() == "20260228");
    CHECK(amz_timestamp{wall_time{}}.text() == "19700101T000000Z");
}

TEST_CASE("what is written is read back, to the second") {
    std::mt19937_64 chance(3);
    for (int round = 0; round < 5000; ++round) {
        const wall_time when{std::chrono::milliseconds{static_cast<std::int64_t>(chance() % 7'000'000'000'000)}};
        const amz_timestamp text{when};
        REQUIRE(parse_amz_timestamp(text.text()) == wall_time{std::chrono::floor<std::chrono::seconds>(when)});
    }
}

TEST_CASE("the three forms agree on one second") {
    const auto when = parse_amz_timestamp("20260301T000005Z");
    REQUIRE(when);
    CHECK(parse_http_date("Sun, 01 Mar 2026 00:00:05 GMT") == when);
    CHECK(parse_iso8601("2026-03-01T00:00:05Z") == when);
    CHECK(parse_iso8601("2026-03-01T02:00:05+02:00") == when);
    CHECK(parse_iso8601("2026-02-28T18:30:05-05:30") == when);
    CHECK(parse_iso8601("2026-03-01T00:00:05.25Z") == *when + 250ms);
    CHECK(parse_iso8601("2026-03-01T00:00:05.123456789Z") == *when + 123ms);
}

TEST_CASE("what is no timestamp is refused") {
    for (const char* text : {"", "20260301T000005", "20260230T000005Z", "20261301T000005Z", "20260301T240005Z",
                             "20260301T006005Z", "20260301T000005Zx", " 20260301T000005Z", "2026030-T000005Z"}) {
        INFO(text);
        CHECK_FALSE(parse_amz_timestamp(text));
    }
    for (const char* text :
         {"", "Sun, 01 Mar 2026 00:00:05 UTC", "Sun 01 Mar 2026 00:00:05 GMT", "Sun, 31 Feb 2026 00:00:05 GMT",
          "Sonntag, 01 Mar 2026 00:00:05 GMT", "Sun, 1 Mar 2026 00:00:05 GMT", "Sun, 01 Mrz 2026 00:00:05 GMT"}) {
        INFO(text);
        CHECK_FALSE(parse_http_date(text));
    }
    for (const char* text : {"", "2026-03-01", "2026-03-01T00:00:05", "2026-03-01T00:00:05.Z", "2026-03-01 00:00:05Z",
                             "2026-03-01T00:00:05+2", "2026-03-01T00:00:05+99:00", "2026-03-01T00:00:05Z "}) {
        INFO(text);
        CHECK_FALSE(parse_iso8601(text));
    }
}
