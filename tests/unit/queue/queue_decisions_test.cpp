// The decision tables of a queue, row by row, and its times.
// SPDX-License-Identifier: BSL-1.0
#include "queue/protocol/queue_decisions.hpp"
#include "queue/protocol/queue_times.hpp"

#include <catch2/catch.hpp>

#include <cmath>

namespace dynalease::protocol {

namespace {

using namespace std::chrono_literals;

time_point at(std::chrono::milliseconds time) {
    return time_point(time);
}

ticket_step ticket(const queue_head& head, bool applied = true, std::chrono::milliseconds now = 10ms,
                   bool tries = false, bool unanswered = true) {
    return decide_ticket({applied, head, "mine", unanswered, tries, at(0ms), at(now), 2975ms});
}

const missing_tickets none;

/// Each of these since then.
missing_tickets missing(std::initializer_list<std::pair<std::int64_t, std::chrono::milliseconds>> tickets) {
    missing_tickets all;
    for (const auto& [ticket, since] : tickets) all.note(ticket, ticket, at(since));
    return all;
}

seen_ticket live(std::int64_t number, owner_is owner = owner_is::other, std::int64_t from = 0) {
    const auto digits = std::to_string(number);
    return {{.ticket = number, .from = from ? from : number, .session = "s" + digits, .attempt = "a" + digits}, owner};
}
seen_ticket voided(std::int64_t number, std::int64_t from = 0) {
    return {{.ticket = number, .from = from ? from : number, .is_void = true, .session = "v"}, owner_is::other};
}
examine_decision examine(const std::vector<seen_ticket>& rows, std::int64_t until,
                         const missing_tickets& absent = none) {
    return decide_examine({10, rows, until, absent, at(10s), 3026ms});
}
place one(std::int64_t number, std::int64_t from = 0) {
    return {.ticket = number, .from = from ? from : number};
}

}  // namespace

TEST_CASE("ticket: what the answer to the request for one says") {
    CHECK(ticket({.tail = 11, .passed = 10}) == ticket_step::direct);
    CHECK(ticket({.tail = 11, .passed = 10}, true, 2974ms) == ticket_step::direct);
    CHECK(ticket({.tail = 11, .passed = 10}, true, 2975ms) == ticket_step::write_down);
    CHECK(ticket({.tail = 12, .passed = 10}) == ticket_step::write_down);
    CHECK(ticket({.tail = 12, .passed = 12}) == ticket_step::renew);
    // Refused because an earlier copy of ours did it.
    CHECK(ticket({.tail = 11, .passed = 10, .last = "mine"}, false) == ticket_step::direct);
    CHECK(ticket({.tail = 11, .passed = 11, .last = "mine"}, false) == ticket_step::renew);
    CHECK(ticket({.tail = 11, .passed = 10, .last = "other"}, false, 1ms, true) == ticket_step::contended);
    CHECK(ticket({.tail = 11, .passed = 10, .last = "other"}, false) == ticket_step::exhausted);
    // Refused though no copy of ours can have done it: a process that was cloned from ours did, and has that ticket.
    CHECK(ticket({.tail = 11, .passed = 10, .last = "mine"}, false, 10ms, false, false) == ticket_step::renew);
    CHECK(ticket({.tail = 11, .passed = 10, .last = "mine"}, false, 10ms, true, false) == ticket_step::renew);
}

TEST_CASE("entered: the row that stood in the way") {
    const ticket_row own{.ticket = 11, .from = 11, .session = "s", .attempt = "mine"};
    const ticket_row buried{.ticket = 11, .from = 11, .is_void = true, .session = "x"};
    CHECK(decide_entered(nullptr, "mine") == entered_step::entered);
    CHECK(decide_entered(&own, "mine") == entered_step::entered);
    CHECK(decide_entered(&buried, "mine") == entered_step::buried);
    CHECK(decide_entered(&own, "other") == entered_step::buried);
}

TEST_CASE("poll: the head as a waiting ticket sees it") {
    const place mine{.ticket = 15, .from = 12, .rank = 12};
    const auto poll = [&](std::int64_t passed) {
        const queue_head head{.tail = 20, .passed = passed};
        return decide_poll(&head, mine);
    };
    CHECK(decide_poll(nullptr, mine) == poll_step::head_lost);
    CHECK(poll(10) == poll_step::wait);
    CHECK(poll(11) == poll_step::turn);
    CHECK(poll(14) == poll_step::turn);
    CHECK(poll(15) == poll_step::place_lost);
    CHECK(tickets_ahead({.tail = 20, .passed = 9}, mine) == 2);
    CHECK(tickets_ahead({.tail = 20, .passed = 13}, mine) == 0);
    CHECK(queue_head{.tail = 20, .passed = 9, .skipped = 3}.outstanding() == 8);
    // Never more than there are numbers, however many rows of before a restore were counted.
    CHECK(tickets_ahead({.tail = 20, .passed = 9, .skipped_passed = 5}, mine) == 2);
    CHECK(queue_head{.tail = 20, .passed = 9, .skipped_passed = 5}.outstanding() == 11);
}

TEST_CASE("examine: what can be passed over is, up to what lives") {
    using enum examine_step;
    CHECK(examine({voided(11), live(12)}, 20) == examine_decision{pass, {one(11)}});
    CHECK(examine({voided(11), live(12, owner_is::over), voided(15, 13), live(16)}, 20) ==
          examine_decision{pass, {one(11), one(12), one(15, 13)}});
    CHECK(examine({live(11), voided(12)}, 20).step == watch);
    CHECK(examine({live(11)}, 20).session == "s11");
    CHECK(examine({live(11, owner_is::ours)}, 20) == examine_decision{});
    CHECK(examine({live(13, owner_is::ghost, 11)}, 20) == examine_decision{give_up, {one(13, 11)}, {}, "a13"});
    CHECK(examine({live(10, owner_is::over), live(11)}, 20).step == watch);  // passed meanwhile
    // Our own row ends it.
    CHECK(examine({voided(11), voided(12)}, 12) == examine_decision{pass, {one(11)}});
    CHECK(examine({}, 11) == examine_decision{});
}

TEST_CASE("examine: what is missing is waited for, and buried when nobody can rely on it any more") {
    using enum examine_step;
    const auto buried = [](std::vector<place> places, std::vector<std::int64_t> graves) {
        return examine_decision{bury, std::move(places), {}, {}, std::move(graves)};
    };
    CHECK(examine({live(13)}, 20) == examine_decision{await, {one(11)}});
    CHECK(examine({}, 13) == examine_decision{await, {one(11)}});
    CHECK(examine({live(13)}, 20, missing({{11, 6975ms}})).step == await);
    CHECK(examine({live(13)}, 20, missing({{11, 6974ms}})) == buried({one(11)}, {11}));
    CHECK(examine({live(13)}, 20, missing({{11, 1s}, {12, 1s}})) == buried({one(11), one(12)}, {11, 12}));
    CHECK(examine({}, 13, missing({{11, 1s}, {12, 1s}})) == buried({one(11), one(12)}, {11, 12}));
    // Whatever is over between them and behind them goes with them, by the same write.
    CHECK(examine({voided(12), live(14, owner_is::over), live(15)}, 20, missing({{11, 1s}, {13, 1s}})) ==
          buried({one(11), one(12), one(13), one(14)}, {11, 13}));
    CHECK(examine({voided(12), live(14)}, 20, missing({{11, 1s}})) == buried({one(11), one(12)}, {11}));
    CHECK(examine({voided(11), live(13)}, 20, missing({{12, 1s}})) == buried({one(11), one(12)}, {12}));
    CHECK(examine({live(13)}, 20, missing({{12, 1s}})).step == await);
    // Numbers that a row covers were never issued.
    CHECK(examine({live(15, owner_is::other, 12)}, 20) == examine_decision{await, {one(11)}});
    CHECK(examine({voided(11), live(13)}, 20).step == pass);
    // Of numbers that seem to be missing because the row that covers them was passed and deleted there may be millions.
    missing_tickets millions;
    millions.note(11, 99'999'999, at(1s));
    CHECK(examine({}, 100'000'000, millions).graves.size() == batch_limit);
}

TEST_CASE("what stands within a later place is of a time before the table went back, and counts for nothing") {
    using enum owner_is;
    const auto kept = [](std::vector<seen_ticket> rows) {
        drop_covered(rows);
        std::vector<std::int64_t> tickets;
        for (const auto& [row, owner] : rows) tickets.push_back(row.ticket);
        return tickets;
    };
    using tickets = std::vector<std::int64_t>;
    for (const auto& each : {voided(13), live(13), live(13, ours), live(13, ghost), live(13, over), live(11)}) {
        CHECK(kept({each, live(15, other, 11), live(16)}) == tickets{15, 16});
        CHECK(kept({each, live(15, over, 11)}) == tickets{15});
    }
    CHECK(kept({voided(11), voided(13), live(15, other, 12)}) == tickets{11, 15});
    CHECK(kept({live(11), live(15, other, 12), live(17)}) == tickets{11, 15, 17});
    CHECK(kept({}).empty());
    // What was given up may be of that time itself: nobody who lives is passed over for its sake.
    CHECK(kept({voided(13), live(14, over), voided(15, 11), live(16)}) == tickets{15, 16});
    CHECK(kept({live(11), voided(13), voided(15, 11), live(16)}) == tickets{11, 15, 16});
    CHECK(kept({live(11), voided(15, 11), live(16, other, 11)}) == tickets{16});
    // What counts for nothing covers nothing either.
    CHECK(kept({live(11), live(14, other, 11), live(16, other, 13)}) == tickets{11, 16});
}

TEST_CASE("missing: all that the rows show to be missing is noted, and keeps the time of its first sight") {
    missing_tickets all;
    note_missing(all, {voided(13), live(17, owner_is::other, 15), live(18)}, 10, 21, at(1s));
    for (const std::int64_t ticket : {11, 12, 14, 19, 20}) CHECK(all.since(ticket) == at(1s));
    for (const std::int64_t ticket : {10, 13, 15, 16, 17, 18, 21}) CHECK_FALSE(all.since(ticket));
    note_missing(all, {live(13), live(30)}, 11, 31, at(2s));
    CHECK(all.since(12) == at(1s));
    CHECK(all.since(20) == at(1s));
    CHECK(all.since(18) == at(2s));
    CHECK(all.since(29) == at(2s));
    CHECK_FALSE(all.since(30));
    // What the rows do not reach is not known.
    missing_tickets few;
    note_missing(few, {live(12)}, 10, 13, at(1s));
    CHECK(few.since(11) == at(1s));
    CHECK_FALSE(few.since(13));
    few.clear();
    CHECK(few.empty());
}

TEST_CASE("missing: what has landed or was passed is forgotten, out of the middle too") {
    missing_tickets all;
    all.note(11, 100'000'000, at(1s));
    all.forget(20, 29);
    all.forget(0, 12);
    CHECK_FALSE(all.since(12));
    CHECK(all.since(13) == at(1s));
    CHECK(all.since(19) == at(1s));
    CHECK_FALSE(all.since(20));
    CHECK_FALSE(all.since(29));
    CHECK(all.since(30) == at(1s));
    CHECK(all.since(100'000'000) == at(1s));
    all.note(15, 40, at(3s));
    CHECK(all.since(19) == at(1s));
    CHECK(all.since(20) == at(3s));
    CHECK(all.since(30) == at(1s));
    all.forget(0, 100'000'000);
    CHECK(all.empty());
}

TEST_CASE("ask: whoever drew a ticket, left, or was seen to beat since lives; the dead are passed over") {
    const queue_head first{.tail = 7, .passed = 4};
    const auto ask = [&](const queue_head& head, std::int64_t passed_here = 0, bool seen_alive = false) {
        return decide_ask({first, head, passed_here, seen_alive});
    };
    CHECK(ask(first) == ask_step::go_on);
    CHECK(ask(first, 0, true) == ask_step::refuse);
    CHECK(ask({.tail = 8, .passed = 4}) == ask_step::refuse);
    CHECK(ask({.tail = 7, .passed = 5}) == ask_step::refuse);
    CHECK(ask({.tail = 7, .passed = 7}) == ask_step::refuse);
    // What this process has asked for is no sign of others, also where it had no answer.
    CHECK(ask({.tail = 7, .passed = 5}, 5) == ask_step::go_on);
    CHECK(ask({.tail = 7, .passed = 6}, 5) == ask_step::refuse);
    CHECK(ask({.tail = 7, .passed = 7}, 7) == ask_step::take);
    CHECK(ask({.tail = 8, .passed = 7}, 7) == ask_step::refuse);
    // It was free when he saw it first, in a queue that is made anew.
    CHECK(decide_ask({{}, {}, 7, false}) == ask_step::take);
}

TEST_CASE("leave") {
    const auto leave = [](bool applied, std::optional<queue_head> head, bool unanswered = false) {
        return decide_leave({applied, head ? &*head : nullptr, {.ticket = 15, .from = 12}, unanswered});
    };
    CHECK(leave(true, queue_head{.tail = 15, .passed = 15}) == leave_step::done);
    CHECK(leave(false, queue_head{.tail = 16, .passed = 11}) == leave_step::again);
    CHECK(leave(false, queue_head{.tail = 16, .passed = 14}) == leave_step::again);
    // Others may have passed it over before our copy without an answer could.
    CHECK(leave(false, queue_head{.tail = 16, .passed = 15}, true) == leave_step::in_doubt);
    CHECK(leave(false, queue_head{.tail = 16, .passed = 15}) == leave_step::lost);
    // Nobody else could: the network has carried it out, and answered for a copy.
    const queue_head passed{.tail = 16, .passed = 15};
    CHECK(decide_leave({false, &passed, {.ticket = 15, .from = 12}, false, true}) == leave_step::done);
    CHECK(leave(false, queue_head{.tail = 16, .passed = 10}) == leave_step::lost);
    // A backup came back in which the number was not issued yet.
    CHECK(leave(false, queue_head{.tail = 14, .passed = 14}) == leave_step::lost);
    CHECK(leave(false, {}) == leave_step::lost);
}

TEST_CASE("leave: our own void tickets right behind are passed in the same write") {
    CHECK(over_with(one(5), {}) == std::vector{one(5)});
    CHECK(over_with(one(5), {{6, one(6)}, {7, one(7)}, {9, one(9)}}) == std::vector{one(5), one(6), one(7)});
    CHECK(over_with(one(5), {{9, one(9, 6)}}) == std::vector{one(5), one(9, 6)});
    CHECK(over_with(one(5), {{4, one(4)}, {7, one(7)}}) == std::vector{one(5)});
}

TEST_CASE("cancel") {
    const auto cancel = [](std::optional<place> mine, bool unanswered, bool voided, std::int64_t passed) {
        const queue_head head{.tail = 20, .passed = passed};
        return decide_cancel({mine, unanswered, voided, head});
    };
    CHECK(cancel({}, false, false, 10) == cancel_step::done);
    CHECK(cancel({}, true, false, 10) == cancel_step::ask);
    CHECK(cancel(one(15), false, false, 10) == cancel_step::give_up);
    CHECK(cancel(one(15), false, false, 15) == cancel_step::done);
    CHECK(cancel(one(15), false, true, 12) == cancel_step::done);
    CHECK(cancel(one(15), false, true, 13) == cancel_step::pass);
    CHECK(cancel(one(15), false, true, 14) == cancel_step::pass);
    CHECK(cancel(one(15, 12), false, true, 10) == cancel_step::pass);
}

TEST_CASE("times: whoever relies on a ticket that is not written down stops before anyone may bury it") {
    CHECK(claim_time == 3000ms);
    CHECK(bury_after(1000) > 3025ms);
    CHECK(bury_after(1000) < 3027ms);
    for (const std::uint32_t ppm : {0U, 500U, 1000U, 50'000U, 100'000U}) {
        // The owner's clock as slow, the other's as fast as they may be.
        const double slow = 1.0 - ppm * 1e-6;
        const double fast = 1.0 + ppm * 1e-6;
        CHECK(static_cast<double>(claim_held(ppm).count()) / slow <
              static_cast<double>(bury_after(ppm).count()) / fast);
    }
}

TEST_CASE("times: all who wait together look a bounded number of times") {
    for (const std::int64_t waiting : {2, 10, 100, 1000, 5000}) {
        double per_second = 0;
        for (std::int64_t ahead = 1; ahead <= waiting; ++ahead) {
            const auto interval = next_poll({ahead, ahead, waiting + 1, 100ms, 20min}, 170ms, 24h, 0.5);
            per_second += 1e9 / static_cast<double>(interval.count());
        }
        INFO(waiting);
        CHECK(per_second < 11.9);
    }
    CHECK(next_poll({1, 1, 1000, 100ms, 1h}, 170ms, 1h, 0.0) == 136ms);
    CHECK(next_poll({1, 1, 1000, 100ms, 1h}, 170ms, 1h, 1.0) == 204ms);
    CHECK(next_poll({500, 500, 1000, 0ms, 1h}, 170ms, 5s, 0.5) == 5s);
    // Turns are short: be awake in time.
    CHECK(next_poll({3, 3, 10, 200ms, 0ms}, 170ms, 1h, 0.5) == 240ms);
    // A thousand tickets of one process are looked at by one watch.
    CHECK(next_poll({1000, 2, 3, 0ms, 1h}, 170ms, 1h, 0.5) < 1s);
}

TEST_CASE("times: an idle head outlives every ticket it issued, also one drawn by a clock far ahead") {
    const std::int64_t month = 30 * 24 * 3600;
    const wall_time now{1'700'000'000'000ms};
    CHECK(idle_head_expiry(now, 1'600'000'000'000) == 1'700'000'000 + month);
    CHECK(idle_head_expiry(now, 1'900'000'000'001) == 1'900'000'001 + month);
}

TEST_CASE("behind: what shows less of either counter was seen earlier, or the head went back") {
    const queue_head known{.tail = 20, .passed = 10};
    CHECK_FALSE(behind(known, known));
    CHECK_FALSE(behind({.tail = 21, .passed = 10}, known));
    CHECK(behind({.tail = 20, .passed = 9}, known));
    CHECK(behind({.tail = 19, .passed = 12}, known));
}

TEST_CASE("times: the pace follows the turns") {
    CHECK(smoothed_pace(0ms, 50ms) == 150ms);
    CHECK(smoothed_pace(100ms, 900ms) == 370ms);
}

}  // namespace dynalease::protocol
