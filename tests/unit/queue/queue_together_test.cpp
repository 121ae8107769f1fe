// Several queues under one number: all or none, never a deadlock, and strict order in each of them.
// SPDX-License-Identifier: BSL-1.0
#include "queue_callers.hpp"
#include "support/overloaded.hpp"

#include <dynalease/queue.hpp>

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

asio::awaitable<void> enter_both(std::vector<queue> queues, std::vector<queue_turn>& into, enter_options options = {}) {
    into = co_await enter_all(std::move(queues), std::move(options));
}

bool all_valid(const std::vector<queue_turn>& turns) {
    return !turns.empty() && std::all_of(turns.begin(), turns.end(), [](const auto& t) { return t.held(); });
}

asio::awaitable<void> work_in_both(std::vector<queue> queues, const node& in, int rounds, int& inside, int& done) {
    for (int i = 0; i < rounds; ++i) {
        auto turns = co_await enter_all(queues);
        REQUIRE(all_valid(turns));
        REQUIRE(++inside == 1);
        co_await sleep(in, 50ms);
        --inside;
        for (auto& turn : turns) co_await turn.leave();
        ++done;
    }
}

asio::awaitable<void> enter_both_code(std::vector<queue> queues, enter_options options, error_code& code) {
    auto done = co_await enter_all(std::move(queues), std::move(options), as_tuple);
    code = std::get<0>(done);
}

}  // namespace

TEST_CASE("whoever enters several queues waits no longer than it said, though the service never reads their heads") {
    world w;
    node a(w);
    auto network = std::make_shared<overloaded>(a.network);
    session in(database(network), {.table = table});
    const std::vector<queue> both{queue{in, "x"}, queue{in, "y"}};
    error_code code;
    auto begun = w.scheduler.now();
    run(w, a, enter_both_code(both, {.wait = 3s}, code));
    CHECK(code == errc::throttled);
    CHECK(w.scheduler.now() - begun == 3s);
    begun = w.scheduler.now();
    run(w, a, enter_both_code(both, {.wait = 0s}, code));
    CHECK(code);
    CHECK(w.scheduler.now() - begun < 2s);
    w.scheduler.run_for(2s);
    const auto batches = network->batches;
    w.scheduler.run_for(1min);
    CHECK(network->batches == batches);
}

TEST_CASE("free queues are entered by one batch of reads and one transaction, under one number") {
    world w;
    node a(w);
    const std::vector<queue> both{queue{*a.session, "x"}, queue{*a.session, "y"}};
    std::vector<queue_turn> turns;
    run(w, a, enter_both(both, turns));
    REQUIRE(turns.size() == 2);
    CHECK(all_valid(turns));
    CHECK(turns[0].ticket() == turns[1].ticket());
    CHECK(turns[0].name() == "x");
    CHECK(turns[1].name() == "y");
    CHECK(sent(a, "BatchGetItem") == 1);
    CHECK(sent(a, "TransactWriteItems") == 1);
    CHECK(sent(a) == 2);
    for (auto& turn : turns) run(w, a, leave(turn));
    a.network->clear_log();
    run(w, a, enter_both(both, turns));
    CHECK(sent(a) == 1);  // the heads were just seen
    turns.clear();
    w.scheduler.run_for(5s);
    CHECK(nothing_left(w, "x"));
    CHECK(nothing_left(w, "y"));
}

TEST_CASE("a number that skips others is waited for by nobody, and the place before and behind it keep their order") {
    world w;
    node a(w, 1);
    node b(w, 2);
    node c(w, 3);
    queue_turn old;
    queue_turn busy;
    // The counters of the two queues lie far apart.
    run(w, a, enter(queue{*a.session, "x"}, old));
    run(w, a, leave(old));
    w.scheduler.run_for(24h);
    run(w, a, enter(queue{*a.session, "x"}, busy));
    queue_turn young;
    run(w, a, enter(queue{*a.session, "y"}, young));
    run(w, a, leave(young));
    CHECK(young.ticket() - busy.ticket() > 1'000'000);

    const std::vector<queue> both{queue{*b.session, "x"}, queue{*b.session, "y"}};
    std::vector<queue_turn> turns;
    queue_turn last;
    running waits(w, b, enter_both(both, turns));
    w.scheduler.run_for(1s);
    running behind(w, c, enter(queue{*c.session, "x"}, last));
    w.scheduler.run_for(30s);
    CHECK_FALSE(waits.done());
    const auto left = w.scheduler.now();
    run(w, a, leave(busy));
    waits.wait(2s);
    CHECK(w.scheduler.now() - left < 400ms);
    CHECK(all_valid(turns));
    CHECK(turns[0].position() == 1);
    CHECK(turns[1].position() == 0);
    const auto left_both = w.scheduler.now();
    turns.clear();
    behind.wait(5s);
    CHECK(w.scheduler.now() - left_both < 2400ms);  // it was second in line: every other look is at the rows
    CHECK(last.position() == 2);
    last = {};
    w.scheduler.run_for(5s);
    CHECK(nothing_left(w, "x"));
    CHECK(nothing_left(w, "y"));
}

TEST_CASE("those who want the same queues in any order never wait in a circle") {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        world w(seed);
        node a(w, seed + 1);
        node b(w, seed + 2);
        int inside = 0;
        int done = 0;
        const std::vector<queue> forth{queue{*a.session, "x"}, queue{*a.session, "y"}};
        const std::vector<queue> back{queue{*b.session, "y"}, queue{*b.session, "x"}};
        running one(w, a, work_in_both(forth, a, 8, inside, done));
        running two(w, b, work_in_both(back, b, 8, inside, done));
        running three(w, b, work_in_both(back, b, 8, inside, done));
        INFO("seed " << seed);
        one.wait(5min);
        two.wait(5min);
        three.wait(5min);
        CHECK(done == 24);
        w.scheduler.run_for(5s);
        CHECK(nothing_left(w, "x"));
        CHECK(nothing_left(w, "y"));
    }
}

TEST_CASE("a wait for several that ends gives up all of them") {
    world w;
    node a(w, 1);
    node b(w, 2);
    queue_turn held;
    run(w, a, enter(queue{*a.session, "x"}, held));
    const std::vector<queue> both{queue{*b.session, "x"}, queue{*b.session, "y"}};
    std::vector<queue_turn> turns;
    running waits(w, b, enter_both(both, turns, {.wait = 5s}));
    try {
        waits.wait(10s);
        FAIL("it was granted");
    } catch (const error& e) {
        CHECK(e.code() == errc::wait_timeout);
    }
    w.scheduler.run_for(1s);
    CHECK(nothing_left(w, "y"));
    run(w, a, leave(held));
    w.scheduler.run_for(5s);
    CHECK(nothing_left(w, "x"));
}

TEST_CASE("whoever loses its place in one of several queues enters all of them anew, so that no circle closes") {
    world w;
    node h(w, 1);
    node a(w, 2);
    node b(w, 3);
    queue_turn held_x;
    queue_turn held_y;
    run(w, h, enter(queue{*h.session, "x"}, held_x));
    run(w, h, enter(queue{*h.session, "y"}, held_y));
    int inside = 0;
    int done = 0;
    running one(w, a, work_in_both({queue{*a.session, "x"}, queue{*a.session, "y"}}, a, 1, inside, done));
    w.scheduler.run_for(1s);
    running other(w, b, work_in_both({queue{*b.session, "x"}, queue{*b.session, "y"}}, b, 1, inside, done));
    w.scheduler.run_for(2s);
    // Somebody deletes the head of one of them, and those behind see it first.
    a.network->set_plan([](const any_request& request, const call_options&) {
        const auto* get = std::get_if<get_item_request>(&request);
        if (!get || get->key.at("pk") != attribute_value("queue#y")) return testing::fault{};
        return testing::fault{.what = testing::fault::kind::fail,
                              .answer = failure(errc::throttled, outcome::not_applied)};
    });
    w.apply(delete_item_request{.table_name = table, .key = {{"pk", "queue#y"}, {"sk", "/"}}});
    w.scheduler.run_for(5s);
    a.network->set_plan({});
    w.scheduler.run_for(5s);
    held_y = {};
    run(w, h, leave(held_x));
    one.wait(1min);
    other.wait(1min);
    CHECK(done == 2);
    w.scheduler.run_for(5s);
    CHECK(nothing_left(w, "x"));
    run(w, h, enter(queue{*h.session, "y"}, held_y), 1s);  // rows of numbers from before keep nobody waiting
}

TEST_CASE("the transaction may be lost, answered late or repeated") {
    using kind = testing::fault::kind;
    for (const auto what : {kind::lose_request, kind::lose_answer, kind::apply_twice}) {
        world w;
        node a(w);
        bool hit = false;
        a.network->set_plan([&](const any_request& request, const call_options&) {
            testing::fault fate;
            if (std::holds_alternative<transact_write_items_request>(request) && !std::exchange(hit, true)) {
                fate.what = what;
                fate.copy = 30s;
            }
            return fate;
        });
        const std::vector<queue> both{queue{*a.session, "x"}, queue{*a.session, "y"}};
        std::vector<queue_turn> turns;
        run(w, a, enter_both(both, turns));
        CHECK(all_valid(turns));
        turns.clear();
        w.scheduler.run_for(60s);
        CHECK(nothing_left(w, "x"));
        CHECK(nothing_left(w, "y"));
    }
}

TEST_CASE("the fence of a turn lets writes happen while it is ours, and not after") {
    world w;
    node a(w);
    const std::vector<queue> both{queue{*a.session, "x"}, queue{*a.session, "y"}};
    std::vector<queue_turn> turns;
    run(w, a, enter_both(both, turns));
    const auto fence = turns[0].fence();
    const auto holds = [&] { return w.simulated.call(transact_write_items_request{.actions = {fence}}).has_value(); };
    CHECK(holds());
    run(w, a, leave(turns[0]));
    CHECK_FALSE(holds());
    CHECK_THROWS_AS(turns[0].fence(), error);
}

TEST_CASE("rows of the time before a backup came back stop nobody within a place that covers their numbers") {
    for (const bool gives_up : {true, false}) {
        world w;
        auto a = std::make_unique<node>(w, 1);
        node b(w, 2);
        for (const auto& [entity, tail] : {std::pair{"x", 15}, std::pair{"y", 30}}) {
            w.apply(put_item_request{.table_name = table,
                                     .new_item = {{"pk", std::string("queue#") + entity},
                                                  {"sk", "/"},
                                                  {"v", 1},
                                                  {"tail", tail},
                                                  {"passed", tail},
                                                  {"last", "b"}}});
        }
        queue_turn before;
        run(w, b, enter(queue{*b.session, "x"}, before));
        auto tombstone = ticket_key("x", 20);
        tombstone.insert({{"v", 1}, {"from", 20}, {"void", true}, {"by", "former"}});
        w.apply(put_item_request{.table_name = table, .new_item = std::move(tombstone)});
        // Of one that has drawn another since, and does not know that its row has landed.
        put_in_line(w, "x", 21, b.session->id());
        std::vector<queue_turn> both;
        running enters(w, *a, enter_both({queue{*a->session, "x"}, queue{*a->session, "y"}}, both));
        w.scheduler.run_for(1s);
        run(w, b, leave(before));
        enters.wait(1s);
        CHECK(both[0].ticket() == 31);
        queue_turn mine;
        running waits(w, b, enter(queue{*b.session, "x"}, mine));
        w.scheduler.run_for(5s);
        CHECK_FALSE(waits.done());
        if (gives_up) {
            both.clear();
        } else {
            a->crash();
        }
        waits.wait(30s);
        CHECK(mine.ticket() == 32);
        run(w, b, leave(mine));
    }
}
