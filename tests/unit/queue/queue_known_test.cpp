// What a process knows of a queue, and how often it looks.
// SPDX-License-Identifier: BSL-1.0
#include "queue/protocol/head_sights.hpp"
#include "queue/protocol/known_places.hpp"
#include "queue/protocol/poll_plan.hpp"

#include <catch2/catch.hpp>

namespace dynalease::protocol {

namespace {

using namespace std::chrono_literals;

time_point at(std::chrono::milliseconds time) {
    return time_point(time);
}

constexpr poll_plan::limits usual{.shortest = 170ms, .longest = 1h, .after_failures = {}, .unit = 0.5};

seen_ticket of_session(std::int64_t ticket, const char* session) {
    return {{.ticket = ticket, .from = ticket, .session = session}, owner_is::other};
}

}  // namespace

TEST_CASE("sights: an answer that was overtaken counts only if it shows more") {
    head_sights seen;
    CHECK_FALSE(seen.known());
    const auto first = seen.count();
    const auto second = seen.count();
    const auto told = seen.sight(queue_head{.tail = 7, .passed = 4}, first, at(1s));
    REQUIRE(told);
    CHECK(told->moved);
    CHECK_FALSE(told->back);
    CHECK(seen->tail == 7);

    CHECK_FALSE(seen.sight(queue_head{.tail = 7, .passed = 3}, second, at(2s)));
    CHECK_FALSE(seen.sight(std::nullopt, second, at(2s)));
    CHECK(seen->passed == 4);
    CHECK(seen.seen_at() == at(1s));
    const auto more = seen.sight(queue_head{.tail = 8, .passed = 4}, second, at(3s));
    REQUIRE(more);
    CHECK_FALSE(more->moved);
    CHECK(seen->tail == 8);
    CHECK(seen.moved_at() == at(1s));
}

TEST_CASE("sights: the newest answer counts whatever it shows, and none of before after it") {
    head_sights seen;
    seen.sight(queue_head{.tail = 7, .passed = 4}, seen.count(), at(1s));
    const auto before = seen.count();
    SECTION("a head that went back") {
        seen.begin_anew();
        const auto told = seen.sight(queue_head{.tail = 5, .passed = 3}, seen.count(), at(2s));
        REQUIRE(told);
        CHECK(told->back);
        CHECK(told->moved);
        CHECK(seen->passed == 3);
    }
    SECTION("no head") {
        seen.begin_anew();
        const auto told = seen.sight(std::nullopt, seen.count(), at(2s));
        REQUIRE(told);
        CHECK_FALSE(seen.known());
        CHECK(seen->tail == 0);
    }
    CHECK(seen.began() == seen.count());
    CHECK_FALSE(seen.sight(queue_head{.tail = 9, .passed = 4}, before, at(3s)));
}

TEST_CASE("sights: that there was never a head does not make what is under way old") {
    head_sights seen;
    const auto asked = seen.count();
    REQUIRE(seen.sight(std::nullopt, seen.count(), at(1s)));
    REQUIRE(seen.sight(queue_head{.tail = 1, .passed = 0}, asked, at(2s)));
    CHECK(seen.known());
    CHECK(seen.began() == 0);
}

TEST_CASE("sights: what a write of ours has made counts as far as it shows more") {
    head_sights seen;
    seen.sight(queue_head{.tail = 7, .passed = 4}, seen.count(), at(1s));
    CHECK_FALSE(seen.made({.tail = 6, .passed = 4}, at(2s)));
    const auto asked = seen.asked();
    REQUIRE(seen.made({.tail = 8, .passed = 4}, at(2s)));
    CHECK(seen->tail == 8);
    CHECK(seen.asked() == asked);
}

TEST_CASE("places: what is over is counted once, and forgotten when it was passed") {
    known_places known;
    for (const std::int64_t ticket : {5, 3, 9}) CHECK(known.add_over(ticket));
    CHECK_FALSE(known.add_over(5));
    CHECK(known.over_before(9) == 2);
    CHECK(known.over_before(10) == 3);
    known.voids[5] = {.ticket = 5, .from = 4};
    known.missing.note(2, 8, at(0ms));
    known.forget_passed(5);
    CHECK(known.over == std::vector<std::int64_t>{9});
    CHECK(known.voids.empty());
    CHECK_FALSE(known.missing.since(5));
    CHECK(known.missing.since(6));
    known.forget_all();
    CHECK(known.over.empty());
    CHECK(known.missing.empty());
}

TEST_CASE("polls: who stands far behind looks at the rows within a second, and then as the processes there are many") {
    poll_plan polls;
    const poll_plan::line far{.ahead = 200, .living = 201, .pace = {}, .still = {}};
    polls.begin(far.ahead, at(0ms));
    polls.plan(far, usual, at(0ms));
    CHECK(polls.next() == at(0ms) + survey_within);
    polls.look_now(at(10ms));
    CHECK(polls.next() == at(0ms) + survey_within);
    CHECK(polls.begin_poll(false, at(1s)));
    polls.surveyed(true, at(1s));
    CHECK(polls.surveys() == 1);
    std::vector<seen_ticket> rows;
    for (std::int64_t ticket = 1; ticket < 200; ++ticket) rows.push_back(of_session(ticket, ticket % 2 ? "a" : "b"));
    polls.plan(far, usual, at(1s));
    const auto as_unknown = polls.next() - at(1s);
    polls.count_processes(rows, 0, std::nullopt);
    polls.plan(far, usual, at(1s));
    CHECK(polls.next() - at(1s) < as_unknown / 10);
    // The next look that finds nothing moved is followed by one at the rows.
    CHECK_FALSE(polls.begin_poll(false, at(2s)));
    polls.looked(true, false);
    CHECK(polls.begin_poll(false, at(3s)));
    CHECK(polls.next() == time_point::max());  // in place of the look
    CHECK(polls.surveys() == 1);
    CHECK_FALSE(polls.begin_poll(true, at(4s)));
}

TEST_CASE("polls: a survey puts off no look, and what was not looked at is not taken to stand still") {
    const auto near = [](time_point when, std::chrono::milliseconds wanted) {
        return std::chrono::abs(when - at(wanted)) < 1ms;
    };
    poll_plan polls;
    const poll_plan::line line{.ahead = 10, .living = 11, .pace = 200ms, .still = {}};
    polls.begin(line.ahead, at(0ms));
    polls.plan(line, usual, at(0ms));
    CHECK(polls.next() == at(0ms) + survey_within);
    CHECK(polls.begin_poll(false, at(1s)));
    polls.plan_after_survey(line, usual, at(1s));
    CHECK(near(polls.next(), 1080ms));
    CHECK_FALSE(polls.begin_poll(false, at(1081ms)));
    const poll_plan::line still{.ahead = 10, .living = 11, .pace = 200ms, .still = 600ms};
    polls.plan(still, usual, at(2s));
    CHECK(near(polls.next(), 3260ms));  // nine turns of 200 ms, of which three take 100 ms more
    // Where turns are no guide, a survey counts as a look.
    const poll_plan::line blind{.ahead = 10, .living = 11, .pace = {}, .still = {}};
    polls.plan(blind, usual, at(4s));
    const auto planned = polls.next();
    polls.survey_again(at(5s));
    CHECK(polls.begin_poll(false, at(5s)));
    polls.plan_after_survey(blind, usual, at(5s));
    CHECK(polls.next() == planned + 1s);
}

TEST_CASE("polls: a survey that fails is made again, ever later, for the look that is due may be minutes away") {
    poll_plan polls;
    const poll_plan::line far{.ahead = 200, .living = 201, .pace = {}, .still = {}};
    polls.begin(far.ahead, at(0ms));
    polls.plan(far, usual, at(0ms));
    auto now = at(1s);
    for (const auto later : {1s, 2s, 4s, 8s}) {
        CHECK(polls.begin_poll(false, now));
        polls.surveyed(false, now);
        polls.plan_after_survey(far, usual, now);
        CHECK(polls.next() == now + later);
        now += later;
    }
    CHECK(polls.surveys() == 0);
    CHECK(polls.begin_poll(false, now));
    polls.surveyed(true, now);
    polls.plan_after_survey(far, usual, now);
    CHECK(polls.next() > now + 1min);
    CHECK(polls.surveys() == 1);
}

TEST_CASE("polls: looks that fail are made again after a pause, whatever else is due") {
    poll_plan polls;
    const poll_plan::line next{.ahead = 1, .living = 2, .pace = {}, .still = {}};
    polls.plan(next, usual, at(0ms));
    CHECK(polls.next() == at(170ms));
    polls.looked(false, false);
    auto failing = usual;
    failing.after_failures = 4s;
    polls.survey_again(at(1s));
    CHECK(polls.next() == at(170ms));
    polls.plan(next, failing, at(0ms));
    CHECK(polls.next() == at(4s));
    polls.plan_sooner(next, usual, at(1s));
    CHECK(polls.next() == at(1170ms));
    polls.looked(true, true);
    polls.plan(next, failing, at(0ms));
    CHECK(polls.next() == at(170ms));
}

}  // namespace dynalease::protocol
