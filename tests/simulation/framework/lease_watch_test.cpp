// What the judge of leases takes for valid.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/lease_watch.hpp"

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::simulation;
using namespace std::chrono_literals;

TEST_CASE("what a session may believe ends with its lease, whatever it shows") {
    lease_watch watch(10s, 2500ms, 1000);
    const time_point start{};
    watch.sent(1, start);
    CHECK_FALSE(watch.may_believe(start));
    watch.acknowledged(1, start + 100ms);
    CHECK(watch.may_believe(start + 9979ms));
    CHECK_FALSE(watch.may_believe(start + 9981ms));
    CHECK(watch.check(session_state::live, start + 4400ms).empty());
    CHECK_FALSE(watch.check(session_state::live, start + 4600ms).empty());
    CHECK_FALSE(watch.check(session_state::jeopardy, start + 4400ms).empty());
    CHECK_FALSE(watch.check(session_state::lost, start + 5s).empty());
    CHECK_FALSE(watch.check(session_state::jeopardy, start + 9990ms).empty());
    // An answer that comes after the deadline proves nothing any more.
    watch.sent(2, start + 5s);
    watch.acknowledged(2, start + 11s);
    CHECK_FALSE(watch.may_believe(start + 11s));
    // One in its last milliseconds may come too late for the library, which is more careful.
    watch.acknowledged(2, start + 9978ms);
    CHECK(watch.check(session_state::lost, start + 9979ms).empty());
    CHECK(watch.check(session_state::jeopardy, start + 9979ms).empty());
    watch.sent(3, start + 12s);
    watch.acknowledged(3, start + 12s);
    CHECK_FALSE(watch.check(session_state::lost, start + 13s).empty());
}

TEST_CASE("a session whose row went back with its table may believe nothing any more") {
    lease_watch watch(10s, 2500ms, 1000);
    const time_point start{};
    for (std::int64_t beat = 1; beat <= 3; ++beat) {
        watch.sent(beat, start);
        watch.acknowledged(beat, start + 1ms);
    }
    CHECK_FALSE(watch.shows_another_past(3));
    CHECK(watch.shows_another_past(2));
    watch.told_over();
    CHECK_FALSE(watch.check(session_state::live, start + 2ms).empty());
    CHECK(watch.check(session_state::lost, start + 2ms).empty());
}
