// The times of a lease and of those who watch it, and the tokens of claims.
// SPDX-License-Identifier: BSL-1.0
#include "session/protocol/lease_times.hpp"
#include "session/protocol/beat_ledger.hpp"
#include "session/protocol/claim.hpp"
#include "session/protocol/session_lease.hpp"
#include "session/protocol/session_watch.hpp"

#include <catch2/catch.hpp>

namespace dynalease::protocol {

using namespace std::chrono_literals;

namespace {

const lease_times defaults = lease_times_for(10s, 0ms, 1000);
constexpr time_point at(std::chrono::nanoseconds since) {
    return time_point(since);
}
session_row beating(std::int64_t beat) {
    return {.alive = true, .beat = beat, .lease = 10s};
}

}  // namespace

TEST_CASE("the default times") {
    CHECK(defaults.hold == 9975ms);
    CHECK(defaults.period == 2500ms);
    CHECK(defaults.beat_limit == 1s);
    CHECK(defaults.jeopardy == 4500ms);
    CHECK(lease_times_for(10s, 1s, 1000).jeopardy == 3s);
}

TEST_CASE("the margin outweighs the drift of both clocks") {
    for (const auto lease : {1000ms, 10'000ms, 3'600'000ms}) {
        for (const std::uint32_t ppm : {0u, 1u, 1000u, 100'000u}) {
            const double rate = ppm / 1e6;
            const double hold = std::chrono::duration<double>(lease_times_for(lease, 0ms, ppm).hold).count();
            const double watched = std::chrono::duration<double>(lease).count();
            CHECK(hold / (1 - rate) <= watched / (1 + rate));
        }
    }
}

TEST_CASE("a session lives from the send of its last acknowledged heartbeat") {
    using phase = session_lease::phase;
    session_lease lease(defaults);
    CHECK(lease.at(at(0s)) == phase::idle);
    lease.open();
    CHECK_FALSE(lease.acknowledge(at(0s), at(9975ms)));
    CHECK(lease.at(at(10s)) == phase::opening);
    CHECK(lease.acknowledge(at(1s), at(2s)));
    CHECK(lease.deadline() == at(10'975ms));
    CHECK(lease.at(at(5499ms)) == phase::live);
    CHECK(lease.at(at(5500ms)) == phase::jeopardy);
    CHECK(lease.acknowledge(at(4s), at(6s)));
    CHECK(lease.at(at(6s)) == phase::live);
    CHECK(lease.acknowledge(at(3s), at(6s)));  // an earlier one, answered later, takes nothing back
    CHECK(lease.deadline() == at(13'975ms));
    CHECK(lease.live_at(at(13'974ms)));
    CHECK(lease.at(at(13'975ms)) == phase::lost);
    CHECK_FALSE(lease.acknowledge(at(13s), at(13'975ms)));
    CHECK(lease.at(at(13'974ms)) == phase::lost);
    CHECK_FALSE(lease.acknowledge(at(14s), at(14s)));
}

TEST_CASE("lost and closed are final") {
    using phase = session_lease::phase;
    for (const bool lost : {true, false}) {
        session_lease lease(defaults);
        lease.open();
        REQUIRE(lease.acknowledge(at(0s), at(1s)));
        lost ? lease.lose() : lease.close();
        lost ? lease.close() : lease.lose();
        lease.abandon();
        CHECK_FALSE(lease.acknowledge(at(1s), at(2s)));
        CHECK(lease.at(at(2s)) == (lost ? phase::lost : phase::closed));
    }
}

TEST_CASE("each heartbeat has a number of its own") {
    beat_ledger ledger;
    CHECK(ledger.next(at(1s)).number == 2);
    CHECK(ledger.next(at(2s)).number == 3);
    REQUIRE(ledger.find(2));
    CHECK(ledger.find(2)->sent == at(1s));
    CHECK_FALSE(ledger.find(1));
    for (int i = 0; i < 16; ++i) ledger.next(at(3s));
    CHECK_FALSE(ledger.find(3));
    CHECK(ledger.find(19));
}

TEST_CASE("a watched session is marked after a whole lease without a new beat") {
    session_watch watch;
    CHECK_FALSE(watch.due_for_mark(at(100s)));
    watch.sight(beating(4), at(1s));
    watch.sight(beating(4), at(9s));
    CHECK(watch.lease_end() == at(11s));
    CHECK_FALSE(watch.due_for_mark(at(10'999ms)));
    CHECK(watch.due_for_mark(at(11s)) == 4);
    watch.sight(beating(5), at(11s));
    CHECK_FALSE(watch.due_for_mark(at(20'999ms)));
    CHECK(watch.due_for_mark(at(21s)) == 5);
}

TEST_CASE("a session lives that beats while it is watched") {
    session_watch watch;
    watch.sight(beating(4), at(1s));
    watch.sight(beating(4), at(2s));
    CHECK_FALSE(watch.seen_alive());
    watch.sight(beating(5), at(3s));
    CHECK(watch.seen_alive() == at(3s));
    watch.sight(beating(5), at(4s));
    CHECK(watch.seen_alive() == at(3s));
    // It may have died since: what counts is seen within a lease.
    watch.sight(beating(6), at(14s));
    CHECK(watch.seen_alive() == at(3s));
    watch.sight(beating(7), at(15s));
    CHECK(watch.seen_alive() == at(15s));
}

TEST_CASE("over is for ever") {
    for (const auto& end : {std::optional<session_row>(), std::optional<session_row>(session_row{})}) {
        session_watch watch;
        watch.sight(end, at(1s));
        watch.sight(beating(9), at(2s));
        CHECK(watch.over());
        CHECK_FALSE(watch.due_for_mark(at(100s)));
    }
}

TEST_CASE("a holder is looked at more rarely the more wait for it, but once a lease at least") {
    CHECK(watch_interval(10s, 0) == 1250ms);
    CHECK(watch_interval(10s, 1) == 1250ms);
    CHECK(watch_interval(10s, 4) == 4s);
    CHECK(watch_interval(10s, 200) == 10s);
    CHECK(watch_interval(1s, 1) == 500ms);
    CHECK(watch_interval(1s, 2) == 1s);
}

TEST_CASE("a token lies above all that is known") {
    constexpr wall_time wall(1000ms);
    CHECK(choose_token(wall, 0, 0) == 1000);
    CHECK(choose_token(wall, 1000, 0) == 1001);
    CHECK(choose_token(wall, 5, 2000) == 2001);
}

TEST_CASE("a claim that was overtaken takes a lead that grows, and ends") {
    CHECK(token_lead(0) == 0);
    CHECK(token_lead(1) == 0);  // a clock that is behind
    CHECK(token_lead(2) == 64);
    CHECK(token_lead(3) == 512);
    CHECK(token_lead(4) == 4096);
    CHECK(token_lead(1'000'000) == 4096);
}

}  // namespace dynalease::protocol
