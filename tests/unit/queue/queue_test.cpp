// What a user notices of a queue: counts of requests, strict order, and what others are shown.
// SPDX-License-Identifier: BSL-1.0
#include "queue_callers.hpp"

#include <dynalease/queue.hpp>

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

TEST_CASE("a free queue costs one request to enter and one to leave") {
    world w;
    node a(w);
    queue_turn turn;
    run(w, a, enter(queue{*a.session, "x"}, turn));
    CHECK(turn.held());
    CHECK(turn.state() == guard_state::held);
    CHECK(turn.position() == 0);
    CHECK(turn.name() == "x");
    const auto first = turn.ticket();
    CHECK(turn.fencing_token() == first);
    run(w, a, leave(turn));
    CHECK_FALSE(turn.held());
    CHECK(turn.state() == guard_state::released);
    w.scheduler.run_for(5s);
    CHECK(sent(a) == 2);
    CHECK(a.requests("session#") >= 1);  // the first lease makes the session's row
    CHECK(find(*head_of(w, "x"), "ttl"));

    a.network->clear_log();
    run(w, a, enter(queue{*a.session, "x"}, turn));
    CHECK(turn.ticket() == first + 1);
    CHECK_FALSE(find(*head_of(w, "x"), "ttl"));
    run(w, a, leave(turn));
    CHECK(sent(a) == 2);
}

TEST_CASE("a turn that lasts longer than a second is written down once, and the row is removed after it") {
    world w;
    node a(w);
    queue_turn turn;
    run(w, a, enter(queue{*a.session, "x"}, turn));
    w.scheduler.run_for(990ms);
    CHECK(ticket_rows(w, "x").empty());
    w.scheduler.run_for(1h);
    CHECK(turn.held());
    CHECK(sent(a) == 2);
    REQUIRE(ticket_rows(w, "x").size() == 1);
    CHECK_FALSE(find(ticket_rows(w, "x").front(), "ttl"));
    run(w, a, leave(turn));
    w.scheduler.run_for(2s);
    CHECK(sent(a) == 4);
    CHECK(nothing_left(w, "x"));
}

TEST_CASE("a busy queue is entered by two writes, and the hand-off to another process is one write and one look") {
    world w;
    node a(w, 1);
    node b(w, 2);
    queue_turn first;
    queue_turn second;
    run(w, a, enter(queue{*a.session, "x"}, first));
    running waits(w, b, enter(queue{*b.session, "x"}, second));
    w.scheduler.run_for(50ms);
    CHECK(sent(b, "UpdateItem") == 1);
    CHECK(sent(b, "PutItem") == 1);
    w.scheduler.run_for(30s);
    REQUIRE_FALSE(waits.done());
    a.network->clear_log();
    b.network->clear_log();
    const auto left = w.scheduler.now();
    run(w, a, leave(first));
    waits.wait(1s);
    CHECK(w.scheduler.now() - left < 210ms);
    CHECK(sent(a, "UpdateItem") <= 2);  // 1 more when it does not know that somebody waits
    CHECK(sent(b, "GetItem") <= 2);
    CHECK(sent(b, "UpdateItem") == 0);
    CHECK(second.held());
    CHECK(second.position() == 1);
    CHECK(second.ticket() == first.ticket() + 1);
}

TEST_CASE("inside a process turns go from one to the next, in order, by one write each and no look") {
    world w;
    node a(w);
    const queue target{*a.session, "x"};
    queue_turn held;
    run(w, a, enter(target, held));
    constexpr std::size_t waiting = 20;
    std::vector<queue_turn> turns(waiting);
    std::vector<std::unique_ptr<running>> waits;
    for (auto& turn : turns) waits.push_back(std::make_unique<running>(w, a, enter(target, turn)));
    w.scheduler.run_for(10s);
    a.network->clear_log();
    w.scheduler.run_for(10min);
    CHECK(sent(a) == 0);
    auto last = held.ticket();
    run(w, a, leave(held));
    for (std::size_t i = 0; i < waiting; ++i) {
        waits[i]->wait(1s);
        CHECK(turns[i].ticket() == last + 1);
        last = turns[i].ticket();
        CHECK(std::count_if(turns.begin(), turns.end(), [](const auto& t) { return t.held(); }) == 1);
        run(w, a, leave(turns[i]));
    }
    CHECK(sent(a, "UpdateItem") == waiting + 1);
    CHECK(sent(a, "GetItem") == 0);
    CHECK(sent(a, "Query") == 0);
    CHECK(a.session->counters().hand_overs == waiting);
    w.scheduler.run_for(5s);
    CHECK(nothing_left(w, "x"));
}

namespace {
asio::awaitable<void> enter_and_note(queue target, const node& in, std::vector<std::int64_t>& order) {
    auto turn = co_await target.enter();
    order.push_back(turn.ticket());
    co_await sleep(in, 300ms);
    co_await turn.leave();
}
}  // namespace

TEST_CASE("first in, first out over processes, however many callers each has") {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        world w(seed);
        std::vector<std::unique_ptr<node>> nodes;
        std::vector<std::unique_ptr<running>> all;
        std::vector<std::int64_t> order;
        for (std::uint64_t i = 0; i < 3; ++i) nodes.push_back(std::make_unique<node>(w, seed * 10 + i));
        for (std::size_t i = 0; i < 12; ++i) {
            auto& in = *nodes[(i * 7 + seed) % 3];
            all.push_back(std::make_unique<running>(w, in, enter_and_note(queue{*in.session, "x"}, in, order)));
            w.scheduler.run_for(std::chrono::milliseconds(seed * 20));
        }
        for (auto& each : all) each->wait(5min);
        INFO("seed " << seed);
        CHECK(order.size() == 12);
        CHECK(std::is_sorted(order.begin(), order.end()));
        w.scheduler.run_for(5s);
        CHECK(nothing_left(w, "x"));
    }
}

TEST_CASE("reads on one queue stay below twelve a second, however many processes wait") {
    for (const std::size_t waiting : {2U, 10U, 60U}) {
        world w;
        node first(w, 1);
        queue_turn held;
        run(w, first, enter(queue{*first.session, "x"}, held));
        std::vector<std::unique_ptr<node>> nodes;
        std::vector<queue_turn> turns(waiting);
        std::vector<std::unique_ptr<running>> waits;
        for (std::size_t i = 0; i < waiting; ++i) {
            nodes.push_back(std::make_unique<node>(w, 10 + i));
            waits.push_back(std::make_unique<running>(w, *nodes[i], enter(queue{*nodes[i]->session, "x"}, turns[i])));
        }
        w.scheduler.run_for(60s);
        for (auto& each : nodes) each->network->clear_log();
        w.scheduler.run_for(100s);
        std::size_t reads = 0;
        for (auto& each : nodes) reads += sent(*each, "GetItem") + sent(*each, "Query");
        INFO(waiting << " waiting, " << reads << " reads in 100 s");
        CHECK(reads < 1200);
        CHECK(reads > 400);
    }
}

TEST_CASE("reasons are queues of their own") {
    world w;
    node a(w);
    queue_turn shipping;
    queue_turn billing;
    queue_turn none;
    run(w, a, enter(queue{*a.session, "order/1", {.reason = "shipping"}}, shipping));
    run(w, a, enter(queue{*a.session, "order/1", {.reason = "billing"}}, billing));
    run(w, a, enter(queue{*a.session, "order/1"}, none));
    CHECK(shipping.held());
    CHECK(billing.held());
    CHECK(none.held());
    CHECK(head_of(w, "order/1", "shipping"));
    CHECK(head_of(w, "order/1", "billing"));
}

TEST_CASE("others see who has the turn, who waits, since when, and what they say of it") {
    world w;
    node a(w, 1, {}, {.table = table, .owner = "press-1"});
    node b(w, 2, {}, {.table = table, .owner = "press-2"});
    queue_turn first;
    queue_turn second;
    queue_info info;
    run(w, b, inspect(queue{*b.session, "x"}, info));
    CHECK_FALSE(info.holder);
    CHECK(info.last_ticket == 0);

    run(w, a, enter(queue{*a.session, "x"}, first));
    run(w, b, inspect(queue{*b.session, "x"}, info));
    REQUIRE(info.holder);
    CHECK(info.holder->ticket == first.ticket());
    CHECK(info.holder->session.empty());

    running waits(w, b, enter(queue{*b.session, "x"}, second, {.data = {{"job", "print"}}}));
    w.scheduler.run_for(2s);
    run(w, a, inspect(queue{*a.session, "x"}, info));
    REQUIRE(info.holder);
    CHECK(info.holder->session == a.session->id());
    CHECK(info.holder->owner == "press-1");
    REQUIRE(info.waiting.size() == 1);
    CHECK(info.waiting[0].ticket == first.ticket() + 1);
    CHECK(info.waiting[0].owner == "press-2");
    CHECK(info.waiting[0].data == item{{"job", "print"}});
    CHECK(info.waiting[0].since > wall_time{});
    CHECK(info.last_ticket == first.ticket() + 1);
    first = {};
    waits.wait(1s);
}

TEST_CASE("a try takes a free queue, refuses a busy one, and draws no ticket in vain") {
    world w;
    node a(w, 1);
    node b(w, 2);
    queue_turn first;
    queue_turn second;
    run(w, a, try_enter(queue{*a.session, "x"}, first));
    REQUIRE(first.held());
    run(w, b, try_enter(queue{*b.session, "x"}, second));
    CHECK_FALSE(second);
    CHECK(find_integer(*head_of(w, "x"), "tail") == first.ticket());
    CHECK(sent(b, "UpdateItem") == 1);
    run(w, b, try_enter(queue{*b.session, "x"}, second));
    CHECK(sent(b, "UpdateItem") == 1);  // seen busy a moment ago: read, not written to
    run(w, a, try_enter(queue{*a.session, "x"}, second));
    CHECK_FALSE(second);
    CHECK(sent(a) == 1);  // ours already: not asked
    run(w, a, leave(first));
    w.scheduler.run_for(2s);
    run(w, b, try_enter(queue{*b.session, "x"}, second));
    CHECK(second.held());
}

namespace {
asio::awaitable<int> work_for(const node& in, std::chrono::seconds time, bool& ended, queue_turn& turn) {
    co_await sleep(in, time);
    ended = true;
    co_return static_cast<int>(turn.position());
}

asio::awaitable<void> work_in_turn(queue target, const node& in, std::chrono::seconds time, bool& ended, int& result) {
    auto body = [&](queue_turn& turn) { return work_for(in, time, ended, turn); };
    result = co_await with_turn(target, body);
}
}  // namespace

TEST_CASE("work in a turn is followed by the leaving, and cancelled when the turn is lost") {
    world w;
    node a(w);
    bool ended = false;
    int result = -1;
    run(w, a, work_in_turn(queue{*a.session, "x"}, a, 5s, ended, result));
    CHECK(ended);
    CHECK(result == 0);
    w.scheduler.run_for(5s);
    CHECK(nothing_left(w, "x"));

    ended = false;
    running works(w, a, work_in_turn(queue{*a.session, "x"}, a, 60s, ended, result));
    w.scheduler.run_for(3s);
    a.network->set_plan(
        [](const any_request&, const call_options&) { return testing::fault{testing::fault::kind::lose_request}; });
    try {
        works.wait(20s);
        FAIL("it was not cancelled");
    } catch (const error& e) {
        CHECK(e.code() == errc::lock_lost);
        CHECK(e.diagnostics().operation == "with_turn");
    }
    CHECK_FALSE(ended);
}

TEST_CASE("closing the session leaves all turns and gives up all places") {
    world w;
    node a(w, 1);
    node b(w, 2);
    queue_turn first;
    queue_turn second;
    queue_turn other;
    run(w, a, enter(queue{*a.session, "x"}, first));
    run(w, b, enter(queue{*b.session, "y"}, other));
    running waits_own(w, a, enter(queue{*a.session, "x"}, second));
    running waits(w, a, enter(queue{*a.session, "y"}, second));
    w.scheduler.run_for(10s);
    close_report report;
    const auto closing = [](session& which, close_report& into) -> asio::awaitable<void> {
        into = co_await which.close();
    };
    run(w, a, closing(*a.session, report));
    CHECK(report.released == 1);
    CHECK(report.failed.empty());
    CHECK_FALSE(first.held());
    for (auto* each : {&waits_own, &waits}) {
        try {
            each->wait(1s);
            FAIL("it was granted");
        } catch (const error& e) {
            CHECK(e.code() == errc::session_closed);
        }
    }
    CHECK(nothing_left(w, "x"));
    run(w, b, leave(other));
    w.scheduler.run_for(5s);
    CHECK(nothing_left(w, "y"));
}
