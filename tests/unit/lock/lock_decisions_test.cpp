// The decision tables of a lock, row by row.
// SPDX-License-Identifier: BSL-1.0
#include "lock/protocol/lock_decisions.hpp"

#include <catch2/catch.hpp>

namespace dynalease::protocol {

using namespace std::chrono_literals;

namespace {

const claim mine{7, 100};

acquire_step want(const lock_row& row, holder_is holder = holder_is::alive, bool waits = true,
                  bool head_absent = false) {
    return decide_acquire({row, "me", mine, waits, holder, head_absent}).step;
}
take_form form(const lock_row& row, holder_is holder = holder_is::alive, bool waits = true, bool head_absent = false) {
    const auto next = decide_acquire({row, "me", mine, waits, holder, head_absent});
    REQUIRE(next.step == acquire_step::take);
    return next.form;
}
std::vector<std::string> full_line() {
    return std::vector<std::string>(line_capacity, "other");
}

}  // namespace

TEST_CASE("want: the claim itself") {
    CHECK(want({.floor = 100, .token = 100, .holder = lock_holder{"me", 7}}) == acquire_step::granted);
    CHECK(want({.floor = 100, .holder = lock_holder{"other", 7}}) == acquire_step::claim_closed);
    CHECK(want({.floor = 100}) == acquire_step::claim_closed);
    CHECK(form({.floor = 99}) == take_form{});
}

TEST_CASE("want: what our session made is told from what another made under its id") {
    const auto seen = [](std::int64_t attempt, std::int64_t token) {
        return want({.floor = 101, .token = token, .holder = lock_holder{"me", attempt}});
    };
    CHECK(seen(7, 100) == acquire_step::granted);
    CHECK(seen(7, 101) == acquire_step::twin);
    CHECK(seen(7, 99) == acquire_step::twin);
    CHECK(seen(8, 101) == acquire_step::twin);
    CHECK(seen(6, 99) == acquire_step::claim_closed);
}

TEST_CASE("want: the lock stands free") {
    CHECK(form({}) == take_form{});
    CHECK(form({.line = {"me", "x"}, .passed = 99}) == take_form{.place = 0});
    CHECK(form({.line = {"x", "me"}, .passed = 31}) == take_form{.place = 1});
    CHECK(want({.line = {"x", "me"}, .passed = 32}) == acquire_step::poll_absent);
    CHECK(form({.floor = 5, .line = {"x", "me"}, .passed = 32}, holder_is::alive, true, true) ==
          take_form{.place = 1, .drop_head = take_form::absent_head{"x", 5}});
    CHECK(want({.line = {"x"}}) == acquire_step::join);
    CHECK(want({.line = {"x"}}, holder_is::alive, false) == acquire_step::refuse);
    CHECK(form({.floor = 5, .line = {"x"}}, holder_is::alive, false, true) ==
          take_form{.drop_head = take_form::absent_head{"x", 5}});
}

TEST_CASE("want: the lock is held") {
    const lock_holder other{"other", 3};
    CHECK(form({.holder = other}, holder_is::over) == take_form{.over = other});
    CHECK(form({.holder = other, .line = {"x", "me"}}, holder_is::over) == take_form{.place = 1, .over = other});
    const lock_holder ghost{"me", 3};
    CHECK(form({.holder = ghost}, holder_is::alive) == take_form{.over = ghost});
    CHECK(want({.holder = other}, holder_is::not_known) == acquire_step::look);
    CHECK(want({.holder = other}, holder_is::alive, false) == acquire_step::refuse);
    CHECK(want({.holder = other}) == acquire_step::join);
    CHECK(want({.holder = other, .line = {"me"}}) == acquire_step::poll);
    CHECK(want({.holder = other, .line = full_line()}) == acquire_step::overflow);
}

TEST_CASE("want: tried until it is known whether the holder lives") {
    const auto want = [](const lock_row& row, holder_is holder, bool head_absent = false,
                         holder_fate fate = holder_fate::unknown) {
        return decide_acquire({row, "me", mine, false, holder, head_absent, fate});
    };
    const lock_holder other{"other", 3};
    CHECK(want({.holder = other}, holder_is::not_known).step == acquire_step::look);
    CHECK(want({.holder = other}, holder_is::alive).step == acquire_step::poll);
    CHECK(want({.holder = other}, holder_is::over).form == take_form{.over = other});
    CHECK(want({.line = {"x"}}, holder_is::over).step == acquire_step::poll_absent);
    CHECK(want({.floor = 5, .line = {"x"}}, holder_is::over, true).form ==
          take_form{.drop_head = take_form::absent_head{"x", 5}});

    constexpr auto lives = holder_fate::known_to_live;
    CHECK(want({}, holder_is::over, false, lives).step == acquire_step::refuse);
    CHECK(want({.holder = other}, holder_is::over, false, lives).step == acquire_step::refuse);
    CHECK(want({.holder = other}, holder_is::not_known, false, lives).step == acquire_step::refuse);
    CHECK(want({.floor = 100, .token = 100, .holder = lock_holder{"me", 7}}, holder_is::over, false, lives).step ==
          acquire_step::granted);
}

TEST_CASE("whether a holder lives is known by its beat, or by what it does with the lock") {
    const lock_holder other{"other", 3};
    const first_sight first{time_point(20s), other, 9};
    const lock_row held{.token = 9, .holder = other};
    const auto beating = [](std::int64_t beat) { return session_row{.alive = true, .beat = beat, .lease = 10s}; };
    const auto lives = [](const first_sight& before, const lock_row& row, const session_watch* holder) {
        return judge_fate(before, row, holder) == holder_fate::known_to_live;
    };
    session_watch watch;
    CHECK_FALSE(lives(first, held, &watch));
    watch.sight(beating(4), time_point(18s));
    watch.sight(beating(5), time_point(19s));
    CHECK_FALSE(lives(first, held, &watch));
    watch.sight(beating(5), time_point(20s));
    CHECK_FALSE(lives(first, held, &watch));
    watch.sight(beating(6), time_point(21s));
    CHECK(lives(first, held, &watch));

    const session_watch unseen;
    CHECK(lives(first, {.token = 9}, nullptr));
    CHECK(lives(first, {.token = 10, .holder = lock_holder{"other", 4}}, &unseen));
    CHECK(lives(first, {.token = 10, .holder = lock_holder{"third", 1}}, &unseen));
    const first_sight free{time_point(20s), {}, 9};
    CHECK_FALSE(lives(free, {.token = 9, .line = {"x"}}, nullptr));
    CHECK(lives(free, {.token = 10, .line = {"x"}}, nullptr));
}

TEST_CASE("give up") {
    const auto give_up = [](const lock_row& row, bool sent, bool unanswered) {
        return decide_give_up({row, "me", mine, sent, unanswered});
    };
    CHECK(give_up({}, false, false) == give_up_step::done);
    CHECK(give_up({.floor = 100}, true, true) == give_up_step::done);
    CHECK(give_up({.floor = 100, .holder = lock_holder{"me", 7}}, true, true) == give_up_step::resolve);
    CHECK(give_up({.line = {"x", "me"}}, true, false) == give_up_step::resolve);
    CHECK(give_up({.floor = 100, .line = {"me"}}, true, false) == give_up_step::resolve);
    CHECK(give_up({.holder = lock_holder{"x", 1}}, true, true) == give_up_step::resolve);
    CHECK(give_up({.holder = lock_holder{"x", 1}}, true, false) == give_up_step::audit);
}

TEST_CASE("resolve") {
    const auto resolve = [](const lock_row& row, bool closed = false) {
        return decide_resolve(row, "me", mine, closed);
    };
    const lock_row landed{.floor = 100, .token = 100, .holder = lock_holder{"me", 7}};
    CHECK(resolve(landed) == resolve_decision{resolve_step::release});
    // Of a copy of this process, which counts its attempts as we do: not ours to release.
    CHECK(resolve({.floor = 101, .token = 101, .holder = lock_holder{"me", 7}}) ==
          resolve_decision{resolve_step::done});
    CHECK(resolve({.floor = 100}) == resolve_decision{resolve_step::done});
    CHECK(resolve({.floor = 100, .line = {"x", "me"}}) == resolve_decision{resolve_step::leave_closed, 1});
    CHECK(resolve({.floor = 99, .line = {"x", "me"}}) == resolve_decision{resolve_step::leave, 1});
    CHECK(resolve({.floor = 99}) == resolve_decision{resolve_step::void_free});
    // Held by another closes nothing: a copy may still land after its release.
    CHECK(resolve({.floor = 99, .holder = lock_holder{"x", 1}}) == resolve_decision{resolve_step::void_held});
    CHECK(resolve({.line = {"me"}}, true) == resolve_decision{resolve_step::leave_closed, 0});
    CHECK(resolve({}, true) == resolve_decision{resolve_step::done});
}

TEST_CASE("hand over, refused") {
    const claim to{8, 101};
    const auto hand = [&](const lock_row& row) { return decide_hand_over(row, "me", mine, to); };
    CHECK(hand({.floor = 101, .token = 101, .holder = lock_holder{"me", 8}}) == hand_over_step::handed);
    CHECK(hand({.floor = 102, .token = 102, .holder = lock_holder{"me", 8}}) == hand_over_step::lost);
    CHECK(hand({.floor = 101, .holder = lock_holder{"me", 7}}) == hand_over_step::claim_closed);
    CHECK(hand({.floor = 100, .holder = lock_holder{"me", 7}}) == hand_over_step::again);
    CHECK(hand({.floor = 100, .holder = lock_holder{"x", 8}}) == hand_over_step::lost);
    CHECK(hand({.floor = 100}) == hand_over_step::lost);
}

}  // namespace dynalease::protocol
