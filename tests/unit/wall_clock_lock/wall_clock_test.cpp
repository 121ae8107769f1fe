// Locks by the wall clock, as another recipe keeps them; beside writers of that recipe, and under faults.
// SPDX-License-Identifier: BSL-1.0
#include "support/lost_answers.hpp"
#include "support/till.hpp"

#include <dynalease/wall_clock_lock.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <memory>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

constexpr const char* moment = "__LockedAt";

wall_clock_lock clock_lock_in(node& in, wall_clock_options options = {.timeout = 10s}) {
    return {database(in.network), till(), std::move(options)};
}

asio::awaitable<void> take(wall_clock_lock lock, wall_clock_guard& into, item_acquire_options options = {}) {
    into = co_await lock.acquire(options);
}
asio::awaitable<void> try_take(wall_clock_lock lock, wall_clock_guard& into) {
    into = co_await lock.try_acquire();
}
asio::awaitable<void> add_to(wall_clock_guard& guard, std::int64_t amount, condition_expression condition = {}) {
    auto change = add("amount", amount);
    co_await guard.update(std::move(change), std::move(condition));
}
asio::awaitable<void> give_back(wall_clock_guard& guard) {
    co_await guard.release();
}

bool free_by_clock(till_world& w) {
    return !w.stored().contains(moment);
}
void lock_as_another(till_world& w, const char* since) {
    auto held = w.stored();
    held[moment] = since;
    w.put(std::move(held));
}

}  // namespace

TEST_CASE("lock, change and unlock by the clock are three writes, and leave the rest of the item alone") {
    till_world w;
    node a(w);
    wall_clock_guard guard;
    run(w, a, take(clock_lock_in(a), guard));
    CHECK(guard.held());
    CHECK(*find_integer(guard.item(), "amount") == 0);
    CHECK(guard.time_left() > 7s);
    CHECK(guard.time_left() < 8s);
    const auto since = *find_string(w.stored(), moment);
    CHECK(since.starts_with("2026-01-01T00:00:0"));
    CHECK(since.size() == std::string_view("2026-11-21T22:30:00.123456+00:00").size());
    CHECK(since.ends_with("+00:00"));
    run(w, a, add_to(guard, 5));
    CHECK(*find_integer(guard.item(), "amount") == 5);
    run(w, a, give_back(guard));
    CHECK(guard.state() == guard_state::released);
    CHECK(a.network->log().size() == 3);
    CHECK(w.amount() == 5);
    CHECK(free_by_clock(w));
    CHECK(*find_integer(w.stored(), "version") == 7);
}

TEST_CASE("an item that does not exist is not made by a lock by the clock") {
    till_world w;
    node a(w);
    wall_clock_lock lock{database(a.network), till("south"), {}};
    wall_clock_guard guard;
    error_code code;
    run(w, a, code_of(take(lock, guard), code));
    CHECK(code == errc::missing);
    CHECK(w.stored("south").empty());
}

TEST_CASE("another writer's lock is waited for until it is surely over, to the microsecond of the text") {
    till_world w;
    node a(w);
    lock_as_another(w, "2026-01-01T00:00:00.500000+00:00");
    wall_clock_guard guard;
    run(w, a, try_take(clock_lock_in(a), guard));
    CHECK_FALSE(guard);
    error_code code;
    run(w, a, code_of(take(clock_lock_in(a), guard, {.wait = 2s}), code));
    CHECK(code == errc::wait_timeout);
    run(w, a, take(clock_lock_in(a), guard));
    // The timeout, and the skew of either clock.
    const auto now = a.environment.clock->wall().time_since_epoch() -
                     wall_time(std::chrono::sys_days(std::chrono::year(2026) / 1 / 1)).time_since_epoch();
    CHECK(now >= 12500ms);
    CHECK(now <= 14s);
    CHECK(guard.held());
}

TEST_CASE("a wait by the clock ends in time, though nothing is answered") {
    till_world w;
    node a(w);
    cut_off(a);
    const auto begun = w.scheduler.now();
    wall_clock_guard guard;
    error_code code;
    run(w, a, code_of(take(clock_lock_in(a), guard, {.wait = 500ms}), code));
    CHECK(code == errc::in_doubt);
    CHECK(w.scheduler.now() - begun == 500ms);
}

TEST_CASE("those who wait by the clock from the same moment do not look at the item in step") {
    till_world w;
    node a(w, 1);
    node b(w, 2);
    lock_as_another(w, "2026-01-01T00:00:00.500000+00:00");
    wall_clock_guard first;
    wall_clock_guard second;
    const running one(w, a, take(clock_lock_in(a), first));
    const running other(w, b, take(clock_lock_in(b), second));
    w.scheduler.run_for(8s);
    const auto& looks_of_a = a.network->log();
    const auto& looks_of_b = b.network->log();
    REQUIRE(looks_of_a.size() > 5);
    REQUIRE(looks_of_b.size() > 5);
    for (std::size_t i = 1; i < std::min(looks_of_a.size(), looks_of_b.size()); ++i) {
        CHECK(looks_of_a[i]->sent != looks_of_b[i]->sent);
    }
}

TEST_CASE("two of ours never hold one item, though their wall clocks differ by twice the skew") {
    const auto offset = GENERATE(-1000ms, 0ms, 1000ms);
    till_world w;
    const wall_time noon{std::chrono::sys_days(std::chrono::year(2026) / 3 / 1)};
    node a(w, 1, {.drift_ppm = -900, .wall = noon + offset});
    node b(w, 2, {.drift_ppm = 900, .wall = noon - offset});
    wall_clock_guard first;
    wall_clock_guard second;
    run(w, a, take(clock_lock_in(a), first));
    running waits(w, b, take(clock_lock_in(b), second));
    while (!second) {
        REQUIRE(w.scheduler.step());
        REQUIRE_FALSE((first.held() && second.held()));
    }
    error_code code;
    run(w, a, code_of(add_to(first, 1), code));
    CHECK(code == errc::lock_lost);
    run(w, a, code_of(give_back(first), code));
    CHECK(code == errc::lock_lost);
    CHECK(second.held());
    CHECK_FALSE(free_by_clock(w));
    CHECK(w.amount() == 0);
}

TEST_CASE("whichever request of a lock by the clock gets no answer, the item is changed once and given back") {
    for_each_lost_answer(0, 3, [](const lost_answer& lost) {
        till_world w;
        node a(w);
        a.network->set_plan(lost.plan());
        const auto round = [](node& in) -> asio::awaitable<void> {
            auto lock = clock_lock_in(in, {.timeout = 1min});
            auto guard = co_await lock.acquire();
            for (const int amount : {1, 10}) {
                auto change = add("amount", amount);
                co_await guard.update(std::move(change));
            }
            co_await guard.release();
        };
        error_code code;
        run(w, a, code_of(round(a), code));
        w.scheduler.run_for(1min);
        CHECK_FALSE(code);
        CHECK(w.amount() == 11);
        // Without a floor, a copy of the first write that comes after the release locks the item once more.
        const bool copied_lock = lost.copied() && lost.at == 0;
        CHECK(free_by_clock(w) == !copied_lock);
        node b(w, 2, {.wall = a.environment.clock->wall()});
        wall_clock_guard guard;
        run(w, b, take(clock_lock_in(b, {.timeout = 1min}), guard, {.wait = 1min}));
        CHECK(guard.held());
    });
}

TEST_CASE("another writer has its whole timeout by its own clock, though ours is ahead of it by twice the skew") {
    till_world w;
    const wall_time start{std::chrono::sys_days(std::chrono::year(2026) / 3 / 1)};
    node a(w, 1, {.wall = start + 1s});
    lock_as_another(w, "2026-02-28T23:59:59.000000+00:00");  // by a clock that is behind
    wall_clock_guard guard;
    running waits(w, a, take(clock_lock_in(a), guard));
    w.scheduler.run_for(10s);
    CHECK_FALSE(guard);
    w.scheduler.run_for(3s);
    CHECK(guard.held());
}

TEST_CASE("a change is made once, though late copies of it and of the lock's write land after the release") {
    till_world w;
    node a(w);
    wall_clock_guard guard;
    const testing::fault late{.what = testing::fault::kind::lose_answer, .before = 5s};
    a.network->set_plan(testing::scripted_faults({late}));
    run(w, a, take(clock_lock_in(a), guard));
    a.network->set_plan(testing::scripted_faults({late}));
    run(w, a, add_to(guard, 1));
    run(w, a, give_back(guard));
    CHECK(w.amount() == 1);
    w.scheduler.run_for(10s);
    CHECK(w.amount() == 1);
}

TEST_CASE("a claim whose answer was lost is recognized whenever it lands") {
    till_world w;
    node a(w);
    node b(w, 2);
    wall_clock_guard other;
    run(w, b, take(clock_lock_in(b, {.timeout = 1min}), other));
    wall_clock_guard guard;
    const testing::fault late{.what = testing::fault::kind::lose_answer, .before = 4s};
    a.network->set_plan(testing::scripted_faults({late}));
    running waits(w, a, take(clock_lock_in(a, {.timeout = 1min}), guard));
    // It lands before the next look, and locks the item.
    w.scheduler.run_for(3900ms);
    run(w, b, give_back(other));
    w.scheduler.run_for(2s);
    CHECK(guard.held());
    error_code code;
    run(w, a, code_of(give_back(guard), code));
    CHECK_FALSE(code);
    CHECK(free_by_clock(w));
}

TEST_CASE("who has waited long enough for a lock by the clock leaves no doubt, however slow the network is") {
    till_world w;
    node a(w);
    lock_as_another(w, "2026-01-01T00:00:00.500000+00:00");
    a.network->set_plan(
        [](const any_request&, const call_options&) { return testing::fault{.before = 5ms, .after = 5ms}; });
    wall_clock_guard guard;
    error_code code;
    run(w, a, code_of(take(clock_lock_in(a), guard, {.wait = 2s}), code));
    CHECK(code == errc::wait_timeout);
}

TEST_CASE("what cannot be given back for lack of credentials is given back when there are some") {
    till_world w;
    node a(w);
    wall_clock_guard guard;
    run(w, a, take(clock_lock_in(a), guard));
    a.network->set_plan([](const any_request&, const call_options&) {
        return testing::fault{.what = testing::fault::kind::fail, .answer = failure(errc::expired_credentials)};
    });
    error_code code;
    run(w, a, code_of(give_back(guard), code));
    CHECK(code == errc::expired_credentials);
    CHECK_FALSE(free_by_clock(w));
    a.network->set_plan({});
    w.scheduler.run_for(2s);
    CHECK(free_by_clock(w));
}

TEST_CASE("who waits for ever for a lock by the clock waits out an outage, too") {
    till_world w;
    node a(w);
    a.network->set_plan(
        [](const any_request&, const call_options&) { return testing::fault{testing::fault::kind::lose_request}; });
    wall_clock_guard guard;
    running waits(w, a, take(clock_lock_in(a), guard));
    w.scheduler.run_for(1min);
    CHECK_FALSE(waits.done());
    a.network->set_plan({});
    w.scheduler.run_for(3s);
    CHECK(guard.held());
}

TEST_CASE("a false condition of the caller leaves the lock by the clock as it is") {
    const bool doubtful = GENERATE(false, true);
    till_world w;
    node a(w);
    wall_clock_guard guard;
    run(w, a, take(clock_lock_in(a), guard));
    if (doubtful) a.network->set_plan(testing::scripted_faults({testing::fault{testing::fault::kind::lose_answer}}));
    error_code code;
    run(w, a, code_of(add_to(guard, 1, attr("amount") == 99), code));
    CHECK(code == errc::condition_failed);
    CHECK(guard.held());
    run(w, a, add_to(guard, 1, attr("amount") == 0));
    CHECK(w.amount() == 1);
}

TEST_CASE("two that draw the same microsecond do not both hold the item") {
    till_world w;
    node a(w, 7);
    node b(w, 7);
    wall_clock_guard first;
    wall_clock_guard second;
    error_code told_first;
    error_code told_second;
    running one(w, a, code_of(try_take(clock_lock_in(a), first), told_first));
    running other(w, b, code_of(try_take(clock_lock_in(b), second), told_second));
    one.wait();
    other.wait();
    CHECK(first.held() != second.held());
    // Of the other one nobody can know: it is shown its own moment.
    CHECK((told_first == errc::in_doubt) == second.held());
    CHECK((told_second == errc::in_doubt) == first.held());
}

TEST_CASE("a false condition whose empty step was answered twice is in doubt, and the lock goes on") {
    using kind = testing::fault::kind;
    till_world w;
    node a(w);
    wall_clock_guard guard;
    run(w, a, take(clock_lock_in(a), guard));
    a.network->set_plan(
        testing::scripted_faults({testing::fault{kind::lose_request}, {}, testing::fault{kind::lose_answer}}));
    error_code code;
    run(w, a, code_of(add_to(guard, 5, attr("amount") == 99), code));
    CHECK(code == errc::in_doubt);
    CHECK(w.amount() == 0);
    run(w, a, add_to(guard, 1));
    CHECK(w.amount() == 1);
}

TEST_CASE("a guard by the clock whose lock a late release of another writer freed learns it at its next write") {
    till_world w;
    node a(w);
    wall_clock_guard guard;
    run(w, a, take(clock_lock_in(a), guard));
    auto freed = w.stored();
    freed.erase(moment);
    w.put(freed);
    error_code code;
    // It may have been done before, for all that the item tells: the network may repeat a write, and answer for the
    // copy.
    run(w, a, code_of(add_to(guard, 1), code));
    CHECK(code == errc::in_doubt);
    CHECK(guard.state() == guard_state::lost);
    CHECK(w.amount() == 0);
}

TEST_CASE("a guard by the clock that goes out of scope gives back, and so does a write in doubt") {
    till_world w;
    node a(w);
    wall_clock_guard guard;
    run(w, a, take(clock_lock_in(a), guard));
    guard = {};
    w.scheduler.run_for(1s);
    CHECK(free_by_clock(w));

    run(w, a, take(clock_lock_in(a), guard));
    a.network->set_plan(
        [](const any_request&, const call_options&) { return testing::fault{testing::fault::kind::lose_answer}; });
    error_code code;
    run(w, a, code_of(add_to(guard, 1), code));
    CHECK(code == errc::in_doubt);
    run(w, a, code_of(add_to(guard, 1), code));
    CHECK(code == errc::lock_lost);
    CHECK(w.amount() == 1);
}

TEST_CASE("what may be wrong with a lock by the clock is refused at once") {
    till_world w;
    node a(w);
    const auto refusal = [&](item_ref target, wall_clock_options options) {
        try {
            const wall_clock_lock made{database(a.network), std::move(target), std::move(options)};
        } catch (const dynalease::error& e) {
            CHECK_FALSE(e.diagnostics().message.empty());
            return static_cast<errc>(e.code().value());
        }
        return errc{};
    };
    CHECK(refusal(till(), {}) == errc{});
    CHECK(refusal(till(), {.attribute = ""}) == errc::invalid_name);
    CHECK(refusal(till(), {.attribute = "id"}) == errc::invalid_name);
    CHECK(refusal(till(), {.timeout = 999ms}) == errc::invalid_option);
    CHECK(refusal(till(), {.timeout = 4s, .skew = 1s}) == errc::invalid_option);
    CHECK(refusal(till(), {.poll_interval = 1ms}) == errc::invalid_option);
    CHECK(refusal({"tills", {}}, {}) == errc::bad_attribute);
    CHECK(a.network->log().empty());

    wall_clock_guard guard;
    run(w, a, take(clock_lock_in(a), guard));
    error_code code;
    const auto name_it = [](wall_clock_guard& held) -> asio::awaitable<void> {
        auto change = set(moment, "never");
        co_await held.update(std::move(change));
    };
    run(w, a, code_of(name_it(guard), code));
    CHECK(code == errc::reserved_name);
    w.put({{"id", "north"}, {moment, 5}});
    run(w, a, code_of(take(clock_lock_in(a), guard), code));
    CHECK(code == errc::corrupt_row);
}
