// What is told of those who wait in vain, or for themselves.
// SPDX-License-Identifier: BSL-1.0
#include "lock/data_words.hpp"
#include "support/lock_steps.hpp"

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

asio::awaitable<void> wait_in_vain(lock target, acquire_options options, diagnostics& told) {
    const auto done = co_await target.acquire(std::move(options), told, as_tuple);
    CHECK(std::get<0>(done) == errc::wait_timeout);
}

asio::awaitable<void> acquire_twice(lock target) {
    const lock_guard first = co_await target.acquire();
    const lock_guard second = co_await target.acquire();
}

bool says(const diagnostics& told, const std::string& what) {
    return told.message.find(what) != std::string::npos;
}

}  // namespace

TEST_CASE("who waited in vain is told who has the lock, and since when") {
    world w;
    node a(w, 1, {}, {.table = table, .owner = "billing-7"});
    node b(w, 2);
    lock_guard held;
    run(w, a, take(a, "x", held));
    diagnostics told;
    run(w, b, wait_in_vain(lock{*b.session, "x"}, {.wait = 5s}, told));
    CHECK(says(told, a.session->id()));
    CHECK(says(told, "of billing-7"));
    CHECK(says(told, "for at least 5 s"));

    diagnostics told_a_try;
    run(w, b, wait_in_vain(lock{*b.session, "x"}, {.wait = 0s}, told_a_try));
    CHECK(says(told_a_try, "of billing-7"));
    diagnostics told_its_fate;
    run(w, b, wait_in_vain(lock{*b.session, "x"}, {.wait = until_known}, told_its_fate));
    CHECK(says(told_its_fate, "of billing-7"));
    CHECK(told.advice.empty());
    CHECK(told_its_fate.advice.starts_with("until_known ends once"));
}

TEST_CASE("who waited in vain is told how fresh the holder's heartbeat is, and what it has left in the row") {
    world w;
    node a(w, 1, {}, {.table = table, .owner = "billing-7"});
    node b(w, 2);
    lock_guard held;
    item data{{"job", "a \"big\"\none"}, {"tries", 3}, {"parts", attribute_list{true, null{}, binary(3)}}};
    run(w, a, take(lock{*a.session, "x"}, held, {.data = std::move(data)}));
    diagnostics told;
    run(w, b, wait_in_vain(lock{*b.session, "x"}, {.wait = 5s}, told));
    CHECK(says(told, "for at least 5 s; its heartbeat was seen to move "));
    CHECK(says(told,
               " ago; where that stands still for 10 s the session is over; data in the row, of this grant or an "
               "earlier one: {"));
    CHECK(says(
        told,
        R"(; data in the row, of this grant or an earlier one: {"job": "a \"big\"\u000aone", "parts": [true, null, <3 bytes>], "tries": 3})"));

    // A holder that brings nothing leaves what is there; a long text is cut.
    run(w, a, give_back(held));
    run(w, a, take(lock{*a.session, "x"}, held, {.data = {{"long", std::string(400, 'x')}}}));
    run(w, b, wait_in_vain(lock{*b.session, "x"}, {.wait = 2s}, told));
    CHECK(says(told, R"({"long": "xxx)"));
    CHECK(says(told, "xxx…"));
    CHECK(told.message.size() < 600);
}

TEST_CASE("who waited in vain is told where nothing shows that the holder lives") {
    const auto wait = GENERATE(700ms, 5s);
    world w;
    node a(w, 1);
    node b(w, 2);
    lock_guard held;
    run(w, a, take(a, "x", held));
    held = {};
    w.scheduler.run_for(1s);
    run(w, a, take(a, "x", held));
    a.process->pause();
    diagnostics told;
    run(w, b, wait_in_vain(lock{*b.session, "x"}, {.wait = wait}, told));
    CHECK(says(told, wait == 5s ? "; its heartbeat has not been seen to move for 4 s; after 10 s the session is over"
                                : "; whether it lives was not seen, by one look at its heartbeat"));
}

TEST_CASE("a text of a lock's data is cut between two characters") {
    for (std::size_t fill = 180; fill < 200; ++fill) {
        item data{{"a", std::string(fill, 'x') + "üüüüüüüüüü"}};
        const auto words = detail::words_of_data(data);
        CHECK(words.size() <= 203);
        const auto last = words.substr(0, words.size() - 3);
        CHECK((last.back() == 'x' || last.ends_with("ü")));
    }
}

TEST_CASE("who waited for his own process is told so") {
    world w;
    node a(w);
    lock_guard held;
    run(w, a, take(a, "x", held));
    diagnostics told;
    run(w, a, wait_in_vain(lock{*a.session, "x"}, {.wait = 5s}, told));
    CHECK(says(told, "this process has held it for 5 s under token " + std::to_string(held.fencing_token()) + "; "));
    diagnostics told_a_try;
    run(w, a, wait_in_vain(lock{*a.session, "x"}, {.wait = 0s}, told_a_try));
    CHECK(says(told_a_try, "this process has held it for 5 s"));
}

TEST_CASE("of a wait for oneself the log tells once, after a lease") {
    std::vector<std::string> warnings;
    world w;
    session_options options{.table = table};
    options.log = [&warnings](severity level, std::string_view line) {
        if (level == severity::warning) warnings.emplace_back(line);
    };
    node a(w, 1, {}, std::move(options));
    running never_ends(w, a, acquire_twice(lock{*a.session, "x"}));
    w.scheduler.run_for(9s);
    CHECK(warnings.empty());
    w.scheduler.run_for(4s);
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0].find("lock 'x'") != std::string::npos);
    CHECK(warnings[0].find("waits for itself") != std::string::npos);
    w.scheduler.run_for(1h);
    CHECK(warnings.size() == 1);
}

TEST_CASE("of a wait for a lock of another process the log tells once for each holder, after a lease") {
    std::vector<std::string> lines;
    world w;
    session_options options{.table = table};
    options.log = [&lines](severity, std::string_view line) {
        if (line.find("wait for it") != std::string_view::npos) lines.emplace_back(line);
    };
    node a(w, 1, {}, {.table = table, .owner = "billing-7"});
    node b(w, 2, {}, std::move(options));
    lock_guard held;
    lock_guard got;
    run(w, a, take(a, "x", held));
    running waits(w, b, take(b, "x", got));
    w.scheduler.run_for(9s);
    CHECK(lines.empty());
    w.scheduler.run_for(5s);
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].find("lock 'x': callers of this process wait for it longer than a lease: session " +
                        a.session->id() + " of billing-7 has held it for at least 1") != std::string::npos);
    w.scheduler.run_for(1h);
    CHECK(lines.size() == 1);
    run(w, a, give_back(held));
    waits.wait(1s);
}

TEST_CASE("who tries while others of his process ask is told that they are his own") {
    world w;
    node a(w);
    lock_guard other;
    run(w, a, take(a, "other", other));
    lock target{*a.session, "x"};
    a.network->set_plan(latency(100ms));
    lock_guard first;
    running asks(w, a, take(target, first));
    w.scheduler.run_for(50ms);
    diagnostics told;
    run(w, a, wait_in_vain(target, {.wait = 0s}, told));
    CHECK(says(told, "other callers of this process are asking for it"));
    asks.wait(1s);
}

TEST_CASE("callers who take turns for long wait for nobody too long") {
    std::vector<std::string> warnings;
    world w;
    session_options options{.table = table};
    options.log = [&warnings](severity level, std::string_view line) {
        if (level == severity::warning) warnings.emplace_back(line);
    };
    node a(w, 1, {}, std::move(options));
    struct user {
        static asio::awaitable<void> take_turns(const node& in, lock target) {
            for (int i = 0; i < 20; ++i) {
                auto guard = co_await target.acquire();
                co_await sleep(in, 3s);
                co_await guard.release();
            }
        }
    };
    std::vector<std::unique_ptr<running>> users;
    for (int i = 0; i < 5; ++i) {
        users.push_back(std::make_unique<running>(w, a, user::take_turns(a, lock{*a.session, "x"})));
    }
    for (auto& each : users) each->wait();
    CHECK(warnings.empty());
}
