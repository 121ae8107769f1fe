// In which order callers enter, whatever becomes of their requests, and how soon one after the other.
// SPDX-License-Identifier: BSL-1.0
#include "queue_callers.hpp"

#include <dynalease/queue.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

using testing::fault;
using kind = fault::kind;

bool draws(const any_request& request) {
    const auto* update = std::get_if<update_item_request>(&request);
    return update && update->key.at("pk") == attribute_value("queue#x") && update->values.contains(":attempt");
}

/// The first drawing meets that; each later request takes less than the one before.
testing::fault_plan first_meets(fault fate) {
    auto met = std::make_shared<int>(0);
    return [fate, met](const any_request& request, const call_options&) {
        if (!draws(request)) return fault{.before = 2ms, .after = 2ms};
        const int at = (*met)++;
        return at == 0 ? fate : fault{.before = 20ms / (at + 1), .after = 2ms};
    };
}

asio::awaitable<void> pass_through(queue target, int number, std::vector<int>& order,
                                   std::vector<std::int64_t>& tickets) {
    auto turn = co_await target.enter();
    order.push_back(number);
    tickets.push_back(turn.ticket());
    co_await turn.leave();
}

}  // namespace

TEST_CASE("callers of one process enter in the order of their calls, whatever becomes of their requests") {
    const bool is_free = GENERATE(false, true);
    const auto fate = GENERATE(0, 1, 2, 3);
    world w;
    node a(w, 1);
    node b(w, 2);
    queue_turn warm;
    run(w, a, enter(queue{*a.session, "x"}, warm));
    run(w, a, leave(warm));
    queue_turn held;
    if (!is_free) run(w, b, enter(queue{*b.session, "x"}, held));
    const fault fates[] = {{.before = 200ms, .after = 2ms},
                           {.before = 2ms, .after = 200ms},
                           {.what = kind::lose_answer, .before = 2ms},
                           {.what = kind::fail, .before = 2ms, .answer = failure(errc::throttled)}};
    a.network->set_plan(first_meets(fates[fate]));
    std::vector<int> order;
    std::vector<std::int64_t> tickets;
    std::vector<std::unique_ptr<running>> callers;
    std::vector<int> called;
    for (int i = 0; i < 5; ++i) {
        called.push_back(i);
        callers.push_back(std::make_unique<running>(w, a, pass_through(queue{*a.session, "x"}, i, order, tickets)));
    }
    w.scheduler.run_for(3s);
    if (!is_free) run(w, b, leave(held));
    for (auto& each : callers) each->wait();
    CAPTURE(is_free, fate);
    CHECK(order == called);
    CHECK(std::ranges::is_sorted(tickets));
}

TEST_CASE("to draw one after the other holds nobody up: a turn takes as long") {
    world w;
    node a(w, 1);
    queue_turn warm;
    run(w, a, enter(queue{*a.session, "x"}, warm));
    run(w, a, leave(warm));
    w.scheduler.run_for(2s);
    a.network->set_plan([](const any_request&, const call_options&) { return fault{.before = 2ms, .after = 2ms}; });
    a.network->clear_log();
    const auto began = w.scheduler.now();
    constexpr int crowd = 60;
    std::vector<int> order;
    std::vector<std::int64_t> tickets;
    std::vector<std::unique_ptr<running>> callers;
    for (int i = 0; i < crowd; ++i) {
        callers.push_back(std::make_unique<running>(w, a, pass_through(queue{*a.session, "x"}, i, order, tickets)));
    }
    for (auto& each : callers) each->wait();
    const auto each = (w.scheduler.now() - began) / crowd;
    CAPTURE(std::chrono::duration_cast<std::chrono::microseconds>(each).count(), sent(a));
    // One write ends a turn and begins the next.
    CHECK(each < 9ms);
    CHECK(sent(a) < 4 * crowd);
}

TEST_CASE("who has given up holds up nobody behind it, though its own request is without an answer") {
    world w;
    node a(w, 1);
    queue_turn warm;
    run(w, a, enter(queue{*a.session, "x"}, warm));
    run(w, a, leave(warm));
    a.network->set_plan(first_meets({.what = kind::hold}));
    error_code code;
    queue_turn none;
    queue_turn mine;
    running first(w, a, enter_code(queue{*a.session, "x"}, {.wait = 100ms}, code, none));
    w.scheduler.run_for(1ms);
    const auto began = w.scheduler.now();
    run(w, a, enter(queue{*a.session, "x"}, mine));
    first.wait();
    CHECK(code == errc::in_doubt);
    CHECK(w.scheduler.now() - began < 200ms);
}

namespace {

/// Takes turns of 100 ms for ever, and notes how long the queue lay idle before each.
asio::awaitable<void> take_turns(queue target, const node& in, time_point& left,
                                 std::vector<std::chrono::nanoseconds>& idle) {
    for (;;) {
        auto turn = co_await target.enter();
        const auto now = in.environment.clock->now();
        if (left != time_point()) idle.push_back(now - left);
        co_await sleep(in, 100ms);
        left = in.environment.clock->now();
        co_await turn.leave();
    }
}

}  // namespace

TEST_CASE("short turns go from process to process at the pace of looks, however many wait") {
    const auto count = GENERATE(3U, 12U, 120U);
    world w;
    std::vector<std::unique_ptr<node>> nodes;
    std::vector<running> callers;
    time_point left{};
    std::vector<std::chrono::nanoseconds> idle;
    for (unsigned i = 1; i <= count; ++i) {
        auto& in = *nodes.emplace_back(std::make_unique<node>(w, i));
        callers.emplace_back(w, in, take_turns(queue{*in.session, "x"}, in, left, idle));
    }
    w.scheduler.run_for(20s);
    idle.clear();
    w.scheduler.run_for(60s);
    CHECK(idle.size() > 200);
    CHECK(*std::max_element(idle.begin(), idle.end()) < 500ms);
}

TEST_CASE("after one long turn short ones go as fast as before") {
    world w;
    std::vector<std::unique_ptr<node>> nodes;
    std::vector<running> callers;
    time_point left{};
    std::vector<std::chrono::nanoseconds> idle;
    for (unsigned i = 1; i <= 100; ++i) {
        auto& in = *nodes.emplace_back(std::make_unique<node>(w, i));
        callers.emplace_back(w, in, take_turns(queue{*in.session, "x"}, in, left, idle));
    }
    w.scheduler.run_for(30s);
    queue_turn held;
    node other(w, 200);
    running waits(w, other, enter(queue{*other.session, "x"}, held));
    waits.wait(2min);
    w.scheduler.run_for(5s);
    run(w, other, leave(held));
    w.scheduler.run_for(1min);
    idle.clear();
    w.scheduler.run_for(1min);
    CHECK(idle.size() > 200);
}

namespace {

/// Waits for so long at a time, again and again.
asio::awaitable<void> try_briefly(queue target, const node& in, std::chrono::milliseconds patience, int& turns) {
    for (;;) {
        auto [code, turn] = co_await target.enter({.wait = patience}, asio::as_tuple(asio::deferred));
        if (!code) {
            ++turns;
            co_await sleep(in, 50ms);
            co_await turn.leave();
        }
    }
}

}  // namespace

TEST_CASE("among callers who all wait for a short time only, somebody always has a turn before long") {
    world w;
    std::vector<std::unique_ptr<node>> nodes;
    std::vector<running> callers;
    int turns = 0;
    for (unsigned i = 1; i <= 8; ++i) {
        auto& in = *nodes.emplace_back(std::make_unique<node>(w, i));
        callers.emplace_back(w, in, try_briefly(queue{*in.session, "x"}, in, i * 80ms, turns));
    }
    w.scheduler.run_for(20s);
    for (int minute = 0; minute < 3; ++minute) {
        const auto before = turns;
        w.scheduler.run_for(1min);
        CHECK(turns - before > 20);
        CHECK(ticket_rows(w, "x").size() < 200);
    }
}

TEST_CASE("a crowd that gives up at once reads the rows before it a few times only") {
    world w;
    node a(w, 1);
    node b(w, 2);
    queue_turn held;
    run(w, a, enter(queue{*a.session, "x"}, held));
    std::vector<queue_turn> turns(200);
    std::vector<error_code> told(turns.size());
    std::vector<running> callers;
    for (std::size_t i = 0; i < turns.size(); ++i) {
        callers.emplace_back(w, b, enter_code(queue{*b.session, "x"}, {.wait = 5s}, told[i], turns[i]));
    }
    w.scheduler.run_for(4500ms);
    b.network->clear_log();
    w.scheduler.run_for(2s);
    for (const auto& each : told) CHECK(each == errc::wait_timeout);
    CHECK(sent(b, "PutItem") == turns.size());
    CHECK(sent(b, "Query") < 12);
}
