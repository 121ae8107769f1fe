// Sessions without a row: what becomes of locks whose holders die, pause, or are not answered.
// SPDX-License-Identifier: BSL-1.0
#include "tills.hpp"

#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <optional>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

asio::awaitable<void> wait_until_lost(const item_guard& guard, std::optional<error_code>& told) {
    auto done = co_await guard.lost(as_tuple);
    told = std::get<0>(done);
}

}  // namespace

TEST_CASE("a write that waits for a renewal without answer is not done, and not taken for the renewal's own step") {
    const auto how = GENERATE(0, 1, 2);
    plain_till w;
    w.a->network->set_plan([](const any_request&, const call_options& options) {
        using kind = testing::fault::kind;
        return testing::fault{options.lane == lane::heartbeat ? kind::lose_answer : kind::pass};
    });
    w.a->network->clear_log();
    while (w.a->network->log().empty()) w.scheduler.step();
    const auto write = [&]() -> asio::awaitable<void> {
        if (how == 0) return add_to(w.mine, 5);
        if (how == 1) return add_and_release(w.mine, 5);
        std::vector<item_commit> parts(1);
        parts[0].guard = std::move(w.mine);
        parts[0].change = add("amount", 5);
        return commit(std::move(parts));
    };
    error_code code;
    run(w, *w.a, code_of(write(), code));
    CHECK(code == errc::lock_lost);
    reconnect(*w.a);
    w.scheduler.run_for(30s);
    CHECK(w.amount() == 0);
    CHECK(w.unlocked());
}

TEST_CASE("the item of a dead plain holder is taken over when it has stood still for a lease, and not before") {
    const bool as_reader = GENERATE(false, true);
    till_world w;
    auto a = plain_node(w, 1);
    const auto b = plain_node(w, 2);
    item_guard first;
    item_guard second;
    run(w, *a, as_reader ? share(lock_in(*a), first) : take(lock_in(*a), first));
    const auto token = first.fencing_token();
    first = {};
    a->crash();
    const auto seen = w.scheduler.now();
    run(w, *b, take(lock_in(*b), second), 1min);
    CHECK(w.scheduler.now() - seen >= 6s);
    CHECK(w.scheduler.now() - seen <= 6100ms);
    CHECK(second.fencing_token() > token);
    CHECK(b->session->counters().take_overs == 1);
}

TEST_CASE("tries of a plain lock take it over too, once they have seen it stand still") {
    till_world w;
    auto a = plain_node(w, 1);
    const auto b = plain_node(w, 2);
    item_guard first;
    item_guard second;
    const auto lock = lock_in(*b);
    run(w, *a, take(lock_in(*a), first));
    first = {};
    a->crash();
    run(w, *b, try_take(lock, second));
    CHECK_FALSE(second);
    w.scheduler.run_for(5900ms);
    run(w, *b, try_take(lock, second));
    CHECK_FALSE(second);
    w.scheduler.run_for(200ms);
    run(w, *b, try_take(lock, second));
    CHECK(second.held());
}

TEST_CASE("a plain guard is at risk, then lost, at its own deadline and before anybody can take it") {
    till_world w;
    const auto drift = GENERATE(-900, 0, 900);
    const auto a = plain_node(w, 1, {.lease = 6s}, {.drift_ppm = drift});
    const auto b = plain_node(w, 2, {.lease = 6s}, {.drift_ppm = -drift});
    item_guard mine;
    item_guard theirs;
    run(w, *a, take(lock_in(*a), mine));
    std::optional<error_code> told;
    running tells(w, *a, wait_until_lost(mine, told));
    cut_off(*a);
    running waits(w, *b, take(lock_in(*b), theirs));
    bool was_at_risk = false;
    while (!theirs) {
        REQUIRE(w.scheduler.step());
        was_at_risk = was_at_risk || mine.state() == guard_state::jeopardy;
        REQUIRE_FALSE((mine.held() && theirs.held()));
    }
    CHECK(was_at_risk);
    CHECK(mine.state() == guard_state::lost);
    REQUIRE(told);
    CHECK_FALSE(*told);
    CHECK(a->session->state() == session_state::live);
    error_code code;
    run(w, *a, code_of(add_to(mine, 1), code));
    CHECK(code == errc::lock_lost);
    CHECK(w.amount() == 0);
    reconnect(*a);
    w.scheduler.run_for(1min);
    CHECK(theirs.held());
}

TEST_CASE("a renewal that is answered after the deadline does not bring a lost guard back") {
    plain_till w;
    const auto late = w.scheduler.now() + 5400ms;
    w.a->network->set_plan([&w, late](const any_request&, const call_options& how) {
        if (how.lane != lane::heartbeat) return testing::fault{};
        if (w.scheduler.now() < late) return testing::fault{testing::fault::kind::lose_request};
        return testing::fault{.after = 590ms};
    });
    while (w.mine.state() != guard_state::lost) REQUIRE(w.scheduler.step());
    const auto end = w.scheduler.now() + 10s;
    while (w.scheduler.now() < end && w.scheduler.step()) REQUIRE(w.mine.state() == guard_state::lost);
    CHECK(w.unlocked());
}

TEST_CASE("a forked child renews no lock of its parent, even in the middle of a renewal") {
    plain_till w;
    cut_off(*w.a);
    w.run_until(2100ms);
    w.a->network->clear_log();
    const auto child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        w.scheduler.run_for(20s);
        ::_exit(w.a->network->log().empty() && !w.mine.held() ? 0 : 1);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    reconnect(*w.a);
    w.scheduler.run_for(20s);
    CHECK(w.mine.held());
}

TEST_CASE("what a plain session lost and nobody took is given back when the network is there again") {
    plain_till w;
    cut_off(*w.a);
    w.scheduler.run_for(10s);
    CHECK(w.mine.state() == guard_state::lost);
    CHECK_FALSE(w.unlocked());
    reconnect(*w.a);
    w.scheduler.run_for(15s);
    CHECK(w.unlocked());
    CHECK(w.a->session->counters().lost == 1);
    CHECK(w.a->session->counters().released == 0);
    CHECK(w.a->session->counters().leases_held == 0);
}

TEST_CASE("a plain holder that was paused beyond its lease finds its guard invalid and its write refused") {
    plain_till w;
    const auto b = plain_node(w, 2);
    item_guard theirs;
    w.a->process->pause();
    run(w, *b, take(lock_in(*b), theirs), 1min);
    CHECK_FALSE(w.mine.held());
    w.a->process->resume();
    error_code code;
    run(w, *w.a, code_of(add_to(w.mine, 1), code));
    CHECK(code == errc::lock_lost);
    w.scheduler.run_for(30s);
    CHECK(theirs.held());
}

TEST_CASE("plain sessions and sessions with a row respect one another, and a dead plain one is taken over") {
    till_world w;
    auto plain = plain_node(w, 1);
    auto with_row = std::make_unique<node>(w, 2);
    item_guard first;
    item_guard second;
    run(w, *with_row, take(lock_in(*with_row), first));
    error_code code;
    run(w, *plain, code_of(take(lock_in(*plain), second, {.wait = 20s}), code));
    CHECK(code == errc::wait_timeout);
    run(w, *with_row, give_back(first));
    run(w, *plain, take(lock_in(*plain), second));
    second = {};
    plain->crash();
    run(w, *with_row, take(lock_in(*with_row), first), 1min);
    CHECK(first.held());
}

TEST_CASE("a last write that outlives its plain grant does not end the next one of the process") {
    plain_till w;
    item_guard second;
    running waits(w, *w.a, take(lock_in(*w.a), second));
    // No answer reaches its caller, and nothing reaches the table, until the lease is over.
    cut_off(*w.a);
    error_code code;
    running writes(w, *w.a, code_of(add_and_release(w.mine, 5), code));
    w.scheduler.run_for(7s);
    reconnect(*w.a);
    waits.wait(10s);
    writes.wait(20s);
    CHECK(code == errc::in_doubt);
    w.scheduler.run_for(5s);
    CHECK(second.held());
    run(w, *w.a, add_to(second, 1));
    CHECK(w.amount() == 1);
}
