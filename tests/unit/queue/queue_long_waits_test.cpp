// What is told of those who wait for a turn in vain, or for themselves.
// SPDX-License-Identifier: BSL-1.0
#include "queue_callers.hpp"

#include <dynalease/queue.hpp>

#include <catch2/catch.hpp>

#include <memory>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

asio::awaitable<void> wait_in_vain(queue target, enter_options options, diagnostics& told) {
    const auto done = co_await target.enter(std::move(options), told, as_tuple);
    CHECK(std::get<0>(done) == errc::wait_timeout);
}

asio::awaitable<void> enter_both_in_vain(std::vector<queue> both, enter_options options, diagnostics& told) {
    const auto done = co_await enter_all(std::move(both), std::move(options), told, as_tuple);
    CHECK(std::get<0>(done) == errc::wait_timeout);
}

asio::awaitable<void> enter_twice(queue target) {
    const queue_turn first = co_await target.enter();
    const queue_turn second = co_await target.enter();
}

bool says(const diagnostics& told, const std::string& what) {
    INFO(told.message);
    return told.message.find(what) != std::string::npos;
}

}  // namespace

TEST_CASE("who waited for a turn in vain is told who has it, since when, and how many go before") {
    world w;
    node a(w, 1, {}, {.table = table, .owner = "billing-7"});
    node b(w, 2);
    node c(w, 3);
    queue_turn held;
    queue_turn next;
    run(w, a, enter(queue{*a.session, "x"}, held));
    w.scheduler.run_for(3s);
    running waits(w, b, enter(queue{*b.session, "x"}, next));
    w.scheduler.run_for(1s);
    const queue target{*c.session, "x"};

    diagnostics told_a_try;
    run(w, c, wait_in_vain(target, {.wait = 0s}, told_a_try));
    // By what is found out for any try.
    CHECK(sent(c, "UpdateItem") == 1);
    CHECK(sent(c, "Query") == 1);
    CHECK(says(told_a_try, a.session->id()));
    CHECK(says(told_a_try, "of billing-7 has the turn"));
    CHECK(says(told_a_try, "up to 2 tickets are in line, that of the turn included"));

    diagnostics told;
    run(w, c, wait_in_vain(target, {.wait = 5s}, told));
    CHECK(says(told, a.session->id()));
    CHECK(says(told, "of billing-7"));
    CHECK(says(told, " had the turn 1 s ago, for at least 3 s"));
    CHECK(says(told, "up to 2 tickets go before this one, that of the turn included"));
    diagnostics told_its_fate;
    run(w, c, wait_in_vain(target, {.wait = until_known}, told_its_fate));
    CHECK(says(told_its_fate, "of billing-7"));

    diagnostics told_of_several;
    const enter_options soon{.wait = 2s};
    run(w, c, enter_both_in_vain({queue{*c.session, "y"}, target}, soon, told_of_several));
    CHECK(told_of_several.key == "x");
    CHECK(says(told_of_several, "of billing-7"));
}

TEST_CASE("who is told of a holder is not told of one before that") {
    world w;
    node a(w, 1);
    node b(w, 2);
    node c(w, 3);
    queue_turn first;
    queue_turn second;
    queue_turn third;
    run(w, a, enter(queue{*a.session, "x"}, first));
    running waits(w, b, enter(queue{*b.session, "x"}, second));
    w.scheduler.run_for(2s);
    diagnostics told;
    running in_vain(w, c, wait_in_vain(queue{*c.session, "x"}, {.wait = 20s}, told));
    w.scheduler.run_for(5s);
    run(w, a, leave(first));
    in_vain.wait();
    CHECK(second.held());
    CHECK(says(told, b.session->id()));
    CHECK_FALSE(says(told, a.session->id()));
    CHECK(says(told, "1 ticket goes before this one"));
}

TEST_CASE("who stands so far behind that it looks rarely is told when it saw the turn, and not that it lasts") {
    world w;
    node a(w, 1);
    queue_turn held;
    run(w, a, enter(queue{*a.session, "x"}, held));
    constexpr std::uint64_t crowd = 12;
    std::vector<std::unique_ptr<node>> others;
    std::vector<queue_turn> turns(crowd);
    std::vector<running> waits;
    for (std::uint64_t i = 0; i < crowd; ++i) {
        others.push_back(std::make_unique<node>(w, 2 + i));
        waits.emplace_back(w, *others[i], enter(queue{*others[i]->session, "x"}, turns[i]));
    }
    w.scheduler.run_for(2s);
    node last(w, 2 + crowd);
    diagnostics told;
    running in_vain(w, last, wait_in_vain(queue{*last.session, "x"}, {.wait = 9s}, told));
    w.scheduler.run_for(7s);
    run(w, a, leave(held));
    in_vain.wait();
    CHECK(says(told, " had the turn "));
    CHECK(says(told, " s ago, for at least "));
    CHECK_FALSE(says(told, "has had"));
    for (std::size_t i = 0; i < crowd; ++i) {
        waits[i].wait(1min);
        run(w, *others[i], leave(turns[i]));
    }
}

TEST_CASE("who waited for a turn of its own process is told so") {
    world w;
    node a(w);
    queue_turn held;
    const queue target{*a.session, "x"};
    run(w, a, enter(target, held));
    for (const auto patience : {5s, 0s}) {
        diagnostics told;
        run(w, a, wait_in_vain(target, {.wait = patience}, told));
        CHECK(says(told, "this process has had the turn for 5 s under token "));
    }
}

TEST_CASE("of a wait for a turn of its own the log tells once, after a lease") {
    std::vector<std::string> warnings;
    world w;
    session_options options{.table = table};
    options.log = [&warnings](severity level, std::string_view line) {
        if (level == severity::warning) warnings.emplace_back(line);
    };
    node a(w, 1, {}, std::move(options));
    running never_ends(w, a, enter_twice(queue{*a.session, "x"}));
    w.scheduler.run_for(9s);
    CHECK(warnings.empty());
    w.scheduler.run_for(5s);
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0].find("queue '/x'") != std::string::npos);
    CHECK(warnings[0].find("waits for itself") != std::string::npos);
    w.scheduler.run_for(1h);
    CHECK(warnings.size() == 1);
}

TEST_CASE("callers who take turns for long wait in a queue for nobody too long") {
    std::vector<std::string> warnings;
    world w;
    session_options options{.table = table};
    options.log = [&warnings](severity level, std::string_view line) {
        if (level == severity::warning) warnings.emplace_back(line);
    };
    node a(w, 1, {}, std::move(options));
    struct user {
        static asio::awaitable<void> take_turns(const node& in, queue target) {
            for (int i = 0; i < 20; ++i) {
                auto turn = co_await target.enter();
                co_await sleep(in, 3s);
                co_await turn.leave();
            }
        }
    };
    std::vector<std::unique_ptr<running>> users;
    for (int i = 0; i < 5; ++i) {
        users.push_back(std::make_unique<running>(w, a, user::take_turns(a, queue{*a.session, "x"})));
    }
    for (auto& each : users) each->wait();
    CHECK(warnings.empty());
}
