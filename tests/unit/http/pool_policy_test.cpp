// The pool's decisions, step by step.
// SPDX-License-Identifier: BSL-1.0
#include "http/pool_policy.hpp"

#include <catch2/catch.hpp>

#include <random>

using dynalease::http::pool_policy;
using namespace std::chrono_literals;
using offer = pool_policy::offer;
using after_use = pool_policy::after_use;

namespace {

constexpr pool_policy::time_point start{1000s};

pool_policy::limits small() {
    pool_policy::limits limits;
    limits.connections = 2;
    limits.waiting = 3;
    limits.idle_limit = 30s;
    limits.age_limit = 100s;
    return limits;
}

/// Opens one connection for one waiting request.
pool_policy::slot open_one(pool_policy& policy, pool_policy::time_point now) {
    REQUIRE(policy.enter_line());
    REQUIRE(policy.to_open(now) == 1);
    const auto which = policy.begin_open();
    REQUIRE(policy.opened(which, now) == after_use::serve);
    return which;
}

}  // namespace

TEST_CASE("an empty pool offers nothing and opens one connection per waiting request, up to its limit") {
    pool_policy policy(small());
    CHECK(policy.request(start).what == offer::none);
    CHECK(policy.to_open(start) == 0);
    // Two for whom a connection can be opened, and three who wait.
    for (std::size_t i = 0; i < 5; ++i) CHECK(policy.enter_line());
    CHECK_FALSE(policy.enter_line());
    CHECK(policy.to_open(start) == 2);
    policy.begin_open();
    CHECK(policy.to_open(start) == 1);
    policy.begin_open();
    CHECK(policy.to_open(start) == 0);
}

TEST_CASE("a connection is kept until it is old, by the time when it was opened") {
    pool_policy policy(small());
    const auto which = open_one(policy, start);
    CHECK(policy.given_back(which, start + 100s, true) == after_use::keep);
    CHECK(policy.request(start + 100s).what == offer::reuse);
    CHECK(policy.given_back(which, start + 101s, true) != after_use::keep);
}

TEST_CASE("the connection used last is used first") {
    pool_policy policy(small());
    const auto first = open_one(policy, start);
    const auto second = open_one(policy, start);
    CHECK(policy.given_back(second, start, true) == after_use::keep);
    CHECK(policy.given_back(first, start, true) == after_use::keep);
    const auto choice = policy.request(start);
    CHECK(choice.what == offer::reuse);
    CHECK(choice.which == first);
}

TEST_CASE("a connection is used again after a pause, and retired after a long one or when old") {
    pool_policy policy(small());
    const auto which = open_one(policy, start);
    policy.given_back(which, start, true);

    SECTION("at once") {
        CHECK(policy.request(start).what == offer::reuse);
    }
    SECTION("at the idle limit") {
        CHECK(policy.request(start + 30s).what == offer::reuse);
    }
    SECTION("beyond the idle limit") {
        CHECK(policy.request(start + 31s).what == offer::retire);
        CHECK(policy.open() == 0);
        CHECK(policy.request(start + 31s).what == offer::none);
    }
    SECTION("used all the time, but old") {
        for (auto now = start; now <= start + 100s; now += 20s) {
            REQUIRE(policy.request(now).what != offer::none);
            REQUIRE(policy.given_back(which, now, true) == after_use::keep);
        }
        CHECK(policy.request(start + 101s).what == offer::retire);
    }
    SECTION("old when given back") {
        REQUIRE(policy.request(start + 20s).what == offer::reuse);
        CHECK(policy.given_back(which, start + 101s, true) == after_use::discard);
        CHECK(policy.open() == 0);
    }
}

TEST_CASE("who waits is served before who comes") {
    pool_policy policy(small());
    const auto first = open_one(policy, start);
    const auto second = open_one(policy, start);
    REQUIRE(policy.enter_line());
    CHECK(policy.request(start).what == offer::none);
    CHECK(policy.given_back(first, start, true) == after_use::serve);
    CHECK(policy.waiting() == 0);
    CHECK(policy.given_back(second, start, true) == after_use::keep);
}

TEST_CASE("a broken connection makes room for another while requests wait") {
    pool_policy policy(small());
    const auto first = open_one(policy, start);
    open_one(policy, start);
    REQUIRE(policy.enter_line());
    CHECK(policy.to_open(start) == 0);
    CHECK(policy.given_back(first, start, false) == after_use::discard);
    CHECK(policy.to_open(start) == 1);
}

TEST_CASE("a failed attempt to connect is told to those in line only if nothing else can serve them") {
    pool_policy policy(small());
    SECTION("nothing is open") {
        REQUIRE(policy.enter_line());
        REQUIRE(policy.enter_line());
        const auto one = policy.begin_open();
        CHECK(policy.open_failed(one, start) == 2);
        CHECK(policy.waiting() == 0);
        CHECK(policy.to_open(start) == 0);
    }
    SECTION("another attempt is under way") {
        REQUIRE(policy.enter_line());
        REQUIRE(policy.enter_line());
        const auto one = policy.begin_open();
        const auto two = policy.begin_open();
        CHECK(policy.open_failed(one, start) == 0);
        CHECK(policy.to_open(start + 1s) == 0);
        CHECK(policy.opened(two, start) == after_use::serve);
        CHECK(policy.to_open(start) == 1);
    }
    SECTION("another connection works: wait for it, and hold off") {
        const auto works = open_one(policy, start);
        REQUIRE(policy.enter_line());
        CHECK(policy.open_failed(policy.begin_open(), start) == 0);
        CHECK(policy.waiting() == 1);
        CHECK(policy.hold_off_end(start) == start + 500ms);
        CHECK(policy.to_open(start + 499ms) == 0);
        CHECK(policy.to_open(start + 500ms) == 1);
        CHECK(policy.given_back(works, start, true) == after_use::serve);
    }
    SECTION("the one that worked breaks: hold off less") {
        const auto works = open_one(policy, start);
        REQUIRE(policy.enter_line());
        policy.open_failed(policy.begin_open(), start);
        CHECK(policy.given_back(works, start, false) == after_use::discard);
        CHECK(policy.hold_off_end(start) == start + 100ms);
        CHECK(policy.to_open(start + 100ms) == 1);
    }
    SECTION("the request has gone meanwhile") {
        REQUIRE(policy.enter_line());
        const auto one = policy.begin_open();
        policy.leave_line();
        CHECK(policy.open_failed(one, start) == 0);
    }
}

TEST_CASE("in an outage one connection is tried at a time, after a pause, until one is opened") {
    pool_policy policy(small());
    REQUIRE(policy.enter_line());
    CHECK(policy.open_failed(policy.begin_open(), start) == 1);
    CHECK_FALSE(policy.hold_off_end(start));  // nobody waits for it
    REQUIRE(policy.enter_line());
    REQUIRE(policy.enter_line());
    CHECK(policy.to_open(start + 99ms) == 0);
    CHECK(policy.hold_off_end(start + 99ms) == start + 100ms);
    CHECK(policy.to_open(start + 100ms) == 1);
    CHECK_FALSE(policy.hold_off_end(start + 100ms));
    const auto one = policy.begin_open();
    CHECK(policy.to_open(start + 200ms) == 0);
    CHECK(policy.opened(one, start + 200ms) == after_use::serve);
    CHECK(policy.to_open(start + 200ms) == 1);
}

TEST_CASE("a connection that comes too late for its request is kept") {
    pool_policy policy(small());
    REQUIRE(policy.enter_line());
    const auto one = policy.begin_open();
    policy.leave_line();
    CHECK(policy.opened(one, start) == after_use::keep);
    CHECK(policy.request(start).what == offer::reuse);
}

TEST_CASE("whatever happens in whatever order: never more connections than allowed, and nobody waits for nothing") {
    for (unsigned seed = 0; seed < 200; ++seed) {
        std::mt19937 random(seed);
        auto limits = small();
        limits.connections = 1 + random() % 4;
        pool_policy policy(limits);
        std::vector<pool_policy::slot> loaned;
        std::vector<pool_policy::slot> opening;
        auto now = start;
        const auto take_one = [&](auto& list) {
            const auto at = list.begin() + static_cast<std::ptrdiff_t>(random() % list.size());
            const auto which = *at;
            list.erase(at);
            return which;
        };
        for (int step = 0; step < 300; ++step) {
            now += std::chrono::milliseconds(random() % 20'000);
            switch (random() % 5) {
                case 0: {
                    const auto choice = policy.request(now);
                    if (choice.what == offer::reuse) loaned.push_back(choice.which);
                    if (choice.what == offer::none) policy.enter_line();
                    break;
                }
                case 1:
                    if (!opening.empty()) {
                        const auto which = take_one(opening);
                        if (policy.opened(which, now) == after_use::serve) loaned.push_back(which);
                    }
                    break;
                case 2:
                    if (!opening.empty()) policy.open_failed(take_one(opening), now);
                    break;
                case 3:
                    if (!loaned.empty()) {
                        const auto which = take_one(loaned);
                        if (policy.given_back(which, now, random() % 4 != 0) == after_use::serve)
                            loaned.push_back(which);
                    }
                    break;
                case 4:
                    if (policy.waiting() != 0) policy.leave_line();
                    break;
            }
            for (auto more = policy.to_open(now); more != 0; --more) opening.push_back(policy.begin_open());
            INFO("seed " << seed << " step " << step);
            REQUIRE(policy.open() + opening.size() <= limits.connections);
            REQUIRE(policy.open() >= loaned.size());
            REQUIRE(policy.waiting() <= limits.waiting + limits.connections);
            REQUIRE((policy.waiting() == 0 || !opening.empty() || !loaned.empty() || policy.hold_off_end(now)));
            REQUIRE((policy.waiting() == 0 || policy.open() == loaned.size()));
        }
    }
}

TEST_CASE("connections that nobody gets to are retired by those that are used") {
    pool_policy policy(small());
    const auto first = open_one(policy, start);
    const auto second = open_one(policy, start);
    CHECK(policy.given_back(first, start, true) == after_use::keep);
    CHECK(policy.given_back(second, start + 20s, true) == after_use::keep);
    CHECK_FALSE(policy.retire_oldest(start + 30s));
    CHECK(policy.retire_oldest(start + 31s) == first);
    CHECK_FALSE(policy.retire_oldest(start + 31s));
    CHECK(policy.open() == 1);
    CHECK(policy.request(start + 31s).which == second);
}
