// Moments as locks: their texts, their times, and the requests that go by them.
// SPDX-License-Identifier: BSL-1.0
#include "wall_clock_lock/protocol/wall_clock.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <catch2/catch.hpp>

#include <string>

namespace dynalease::protocol::test {

namespace {

using namespace std::chrono_literals;

const wall_clock_place place{"tills", {{"id", "north"}}, "__LockedAt"};
const wall_moment noon = std::chrono::sys_days(std::chrono::year(2026) / 11 / 21) + 12h + 123456us;

std::string value(const update_item_request& request, const std::string& of) {
    for (const auto& [name, held] : request.values) {
        const auto* text = held.get_if<std::string>();
        if (text && *text == of) return name;
    }
    return "no value " + of;
}

}  // namespace

TEST_CASE("moments are written so that their texts compare as they do") {
    CHECK(wall_text(noon) == "2026-11-21T12:00:00.123456+00:00");
    CHECK(wall_text(noon - 123456us) == "2026-11-21T12:00:00.000000+00:00");
    CHECK(wall_text(std::chrono::sys_days(std::chrono::year(987) / 1 / 2) + 3h + 4min + 5s + 6us) ==
          "0987-01-02T03:04:05.000006+00:00");
    auto before = noon;
    for (const auto later : {1us, 1'000'000us, 61'000'000us, 4'000'000'000us, 100'000'000'000us}) {
        CHECK(wall_text(before) < wall_text(before + later));
        before += later;
    }
    CHECK(next_moment(noon) == noon + 1us);
}

TEST_CASE("a moment of ours is never one of whole milliseconds, nor away from the clock by more than one") {
    const auto now = std::chrono::sys_days(std::chrono::year(2026) / 11 / 21) + 500ms;
    for (const auto unit : {0.0, 0.25, 0.999999}) {
        const auto mine = wall_moment_of(now, unit);
        CHECK(mine != now);
        CHECK(mine.time_since_epoch() % 1s != 0us);
        CHECK(std::chrono::abs(mine - now) <= 1ms);
    }
    CHECK(wall_moment_of(now, 0.1) != wall_moment_of(now, 0.9));
    // Never a text without microseconds, nor one whose successor is.
    for (int i = 0; i < 1000; ++i) {
        const auto mine = wall_moment_of(std::chrono::floor<std::chrono::seconds>(now), i / 1000.0);
        CHECK(mine.time_since_epoch() % 1s != 0us);
        CHECK(next_moment(mine).time_since_epoch() % 1s != 0us);
    }
}

TEST_CASE("what we believe ends before anybody within the skew may take the item over") {
    for (const auto skew : {0ms, 1000ms, 2000ms}) {
        for (const std::uint32_t drift : {0U, 1000U, 50'000U}) {
            INFO(skew.count() << " ms, " << drift << " ppm");
            const auto times = wall_clock_times_for(10s, skew, drift);
            // By a clock behind when it was written and one ahead when it is read, on our own slow clock.
            const auto earliest = std::chrono::nanoseconds(10s - 2 * skew);
            CHECK(times.hold + std::chrono::nanoseconds(10s) * drift / 1'000'000 < earliest);
            CHECK(times.hold > (10s - 2 * skew) / 2);
            // We take from others later than they may believe, be they as far off as may be.
            CHECK(times.overdue >= 10s + 2 * skew);
            CHECK(times.over >= times.overdue + 2 * skew);
        }
    }
    const auto granted = wall_clock_granted({noon, time_point(1h)}, wall_clock_times_for(10s, 1s, 1000));
    CHECK(granted.held == noon);
    CHECK(granted.end < time_point(1h) + 8s);
    CHECK(granted.over >= time_point(1h) + 14s);
}

TEST_CASE("an item is free, held by a moment, gone, or not to be read") {
    CHECK_FALSE(wall_clock_state_of(place, nullptr)->exists);
    item shown{{"id", "north"}};
    CHECK(wall_clock_state_of(place, &shown)->exists);
    CHECK(wall_clock_state_of(place, &shown)->text.empty());
    shown["__LockedAt"] = wall_text(noon);
    CHECK(wall_clock_state_of(place, &shown)->text == wall_text(noon));
    shown["_gone"] = true;
    CHECK_FALSE(wall_clock_state_of(place, &shown)->exists);
    shown["__LockedAt"] = 5;
    CHECK(wall_clock_state_of(place, &shown).error().code == errc::corrupt_row);
    shown["__LockedAt"] = "";
    CHECK(wall_clock_state_of(place, &shown).error().code == errc::corrupt_row);
}

TEST_CASE("of claims without an answer the one whose moment stands there has landed") {
    const std::vector<wall_clock_claim> unanswered{{noon, time_point(1s)}, {noon + 5us, time_point(2s)}};
    const auto landed = wall_clock_claim_in({true, wall_text(noon + 5us)}, unanswered);
    REQUIRE(landed);
    CHECK(landed->sent == time_point(2s));
    CHECK_FALSE(wall_clock_claim_in({true, wall_text(noon + 6us)}, unanswered));
    CHECK_FALSE(wall_clock_claim_in({true, {}}, unanswered));
}

TEST_CASE("the requests of a lock by the clock") {
    const auto take = wall_clock_take(place, noon, noon - 10s);
    CHECK(take.table_name == "tills");
    CHECK(take.key == place.key);
    CHECK(take.current_on_refusal);
    CHECK(take.returned == return_values::all_new);
    CHECK(take.condition_expression.find("< " + value(take, wall_text(noon - 10s))) != std::string::npos);
    CHECK(take.update_expression.find("= " + value(take, wall_text(noon))) != std::string::npos);

    const auto change = wall_clock_change(place, noon, set("amount", 5), attr("amount") == 4);
    CHECK(change.condition_expression.find("= " + value(change, wall_text(noon))) != std::string::npos);
    CHECK(change.update_expression.find("= " + value(change, wall_text(next_moment(noon)))) != std::string::npos);
    CHECK(change.returned == return_values::all_new);

    // A change that had no answer may have moved the moment on.
    const auto release = wall_clock_release(place, noon);
    CHECK(release.values.size() == 2);
    CHECK(release.condition_expression.find(value(release, wall_text(noon))) != std::string::npos);
    CHECK(release.condition_expression.find(value(release, wall_text(next_moment(noon)))) != std::string::npos);
    CHECK(release.update_expression.starts_with("REMOVE"));

    const auto back = wall_clock_take_back(place, {{noon, {}}, {noon + 7us, {}}});
    CHECK(back.values.size() == 2);
    CHECK(back.condition_expression.find(" IN ") != std::string::npos);
    CHECK(back.update_expression.starts_with("REMOVE"));
}

}  // namespace dynalease::protocol::test
