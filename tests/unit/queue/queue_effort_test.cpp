// What queues cost: requests and time for n against 4n of everything, and no second without a bound.
// SPDX-License-Identifier: BSL-1.0
#include "queue_callers.hpp"

#include <dynalease/queue.hpp>

#include <catch2/catch.hpp>

#include <ctime>
#include <iterator>
#include <map>
#include <string>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

using testing::fault;

testing::fault_plan one_way(std::chrono::nanoseconds time) {
    return [time](const any_request&, const call_options&) { return fault{.before = time, .after = time}; };
}

/// Four times as many may cost four times as much, and a little more; never the square, which is sixteen. On a machine
/// that is busy otherwise, where many fit into no cache, seven were seen.
constexpr double linear = 9;

std::vector<running> enter_many(world& w, node& in, std::vector<queue_turn>& turns, enter_options options = {}) {
    std::vector<running> waits;
    for (auto& each : turns) waits.emplace_back(w, in, enter(queue{*in.session, "x"}, each, options));
    return waits;
}

asio::awaitable<void> enter_briefly(queue target) {
    auto turn = co_await target.enter();
    co_await turn.leave();
}

asio::awaitable<void> enter_both_briefly(std::vector<queue> queues) {
    auto turns = co_await enter_all(std::move(queues));
    for (auto& turn : turns) co_await turn.leave();
}

/// What the busiest second of the next `seconds` costs.
std::size_t busiest_second(world& w, node& of, int seconds) {
    std::size_t most = 0;
    for (int i = 0; i < seconds; ++i) {
        const auto before = sent(of);
        w.scheduler.run_for(1s);
        most = std::max(most, sent(of) - before);
    }
    return most;
}

struct aftermath {
    std::size_t requests = 0;
    std::size_t queries = 0;
    std::chrono::nanoseconds waited{};
};

/// One process waits behind so many callers of another, which dies.
aftermath behind_the_dead(std::size_t dead) {
    world w;
    node holder(w, 1);
    node victim(w, 2);
    node next(w, 3);
    for (auto* each : {&holder, &victim, &next}) each->network->set_plan(one_way(2500us));
    queue_turn held;
    run(w, holder, enter(queue{*holder.session, "x"}, held));
    std::vector<queue_turn> turns(dead);
    const auto waits = enter_many(w, victim, turns);
    w.scheduler.run_for(30s);
    queue_turn mine;
    running last(w, next, enter(queue{*next.session, "x"}, mine));
    w.scheduler.run_for(5s);
    victim.process->kill();
    next.network->clear_log();
    run(w, holder, leave(held));
    const auto left = w.scheduler.now();
    last.wait(1h);
    aftermath seen{.waited = w.scheduler.now() - left};
    run(w, next, leave(mine));
    w.scheduler.run_for(1min);
    CHECK(nothing_left(w, "x"));
    seen.requests = sent(next);
    seen.queries = sent(next, "Query");
    return seen;
}

}  // namespace

TEST_CASE("a process that dies with its callers costs the next one a lease, and requests by the page") {
    const auto few = behind_the_dead(100);
    const auto many = behind_the_dead(400);
    CHECK(few.waited < 25s);
    CHECK(many.waited < 40s);  // by a hundred of them it is known how many processes all may be
    CHECK(many.queries < 40);
    CHECK(static_cast<double>(many.requests) < linear * static_cast<double>(few.requests));
}

TEST_CASE("whoever waits behind many callers of one process is awake soon after they have left") {
    world w;
    node holder(w, 1);
    node many(w, 2);
    node next(w, 3);
    for (auto* each : {&holder, &many, &next}) each->network->set_plan(one_way(2500us));
    queue_turn held;
    run(w, holder, enter(queue{*holder.session, "x"}, held));
    std::vector<running> brief;
    for (int i = 0; i < 300; ++i) brief.emplace_back(w, many, enter_briefly(queue{*many.session, "x"}));
    w.scheduler.run_for(10s);
    queue_turn mine;
    running last(w, next, enter(queue{*next.session, "x"}, mine));
    w.scheduler.run_for(5min);
    run(w, holder, leave(held));
    for (auto& each : brief) each.wait();
    const auto free_since = w.scheduler.now();
    last.wait(1h);
    CHECK(w.scheduler.now() - free_since < 6s);
}

TEST_CASE("how many processes wait before us is found out, though a turn ends meanwhile") {
    world w;
    node holder(w, 1);
    node many(w, 2);
    node next(w, 3);
    for (auto* each : {&holder, &many, &next}) each->network->set_plan(one_way(2500us));
    queue_turn held;
    queue_turn also_held;
    run(w, holder, enter(queue{*holder.session, "x"}, held));
    running follows(w, holder, enter(queue{*holder.session, "x"}, also_held));
    w.scheduler.run_for(1s);
    std::vector<running> brief;
    for (int i = 0; i < 300; ++i) brief.emplace_back(w, many, enter_briefly(queue{*many.session, "x"}));
    w.scheduler.run_for(20s);
    queue_turn mine;
    running last(w, next, enter(queue{*next.session, "x"}, mine));
    w.scheduler.run_for(300ms);
    run(w, holder, leave(held));
    queue_info info;
    run(w, next, inspect(queue{*next.session, "x"}, info));
    w.scheduler.run_for(5min);
    run(w, holder, leave(also_held));
    for (auto& each : brief) each.wait();
    const auto free_since = w.scheduler.now();
    last.wait(1h);
    CHECK(w.scheduler.now() - free_since < 6s);
}

TEST_CASE("tickets that nobody wrote down are no processes that wait") {
    world w;
    node holder(w, 1);
    node victim(w, 2);
    node next(w, 3);
    queue_turn held;
    run(w, holder, enter(queue{*holder.session, "x"}, held));
    w.scheduler.run_for(2s);
    victim.network->set_plan([](const any_request& request, const call_options&) {
        const auto* put = std::get_if<put_item_request>(&request);
        if (!put || !find_string(put->new_item, "pk")->starts_with("queue#")) return fault{};
        return fault{.what = fault::kind::fail, .answer = failure(errc::throttled, outcome::not_applied)};
    });
    std::vector<queue_turn> turns(20);
    const auto waits = enter_many(w, victim, turns);
    w.scheduler.run_for(2s);
    victim.process->kill();
    queue_turn mine;
    running last(w, next, enter(queue{*next.session, "x"}, mine));
    w.scheduler.run_for(1min);
    run(w, holder, leave(held));
    const auto left = w.scheduler.now();
    last.wait(10min);
    CHECK(w.scheduler.now() - left < 8s);
}

TEST_CASE("those further behind look rarely, however many callers a process has") {
    world w;
    node holder(w, 1);
    node many(w, 2);
    node next(w, 3);
    queue_turn held;
    run(w, holder, enter(queue{*holder.session, "x"}, held));
    std::vector<queue_turn> turns(100);
    const auto waits = enter_many(w, many, turns);
    queue_turn mine;
    running last(w, next, enter(queue{*next.session, "x"}, mine));
    w.scheduler.run_for(10s);
    CHECK(busiest_second(w, next, 60) <= 6);
    CHECK(busiest_second(w, many, 60) <= 12);
}

namespace {

double seconds_for_entrants(std::size_t count) {
    const auto begun = std::clock();
    {
        world w;
        node a(w, 1);
        queue_turn held;
        run(w, a, enter(queue{*a.session, "x"}, held));
        std::vector<queue_turn> turns(count);
        const auto waits = enter_many(w, a, turns);
        w.scheduler.run_for(5s);
    }
    return static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
}

double seconds_for_patience(std::size_t count) {
    const auto begun = std::clock();
    {
        world w;
        node a(w, 1);
        node b(w, 2);
        queue_turn held;
        run(w, a, enter(queue{*a.session, "x"}, held));
        std::vector<queue_turn> turns(count);
        std::vector<error_code> codes(count);
        std::vector<running> waits;
        for (std::size_t i = 0; i < count; ++i) {
            waits.emplace_back(w, b, enter_code(queue{*b.session, "x"}, {.wait = 5s}, codes[i], turns[i]));
        }
        w.scheduler.run_for(10s);
        CHECK(std::all_of(codes.begin(), codes.end(), [](const auto& c) { return c == errc::wait_timeout; }));
        CHECK(b.session->counters().resolving == 0);
        run(w, a, leave(held));
        w.scheduler.run_for(10s);
        CHECK(nothing_left(w, "x"));
    }
    return static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
}

/// Of so many tries, after as many callers have come and gone.
double seconds_for_tries(std::size_t count) {
    world w;
    node a(w, 1);
    std::vector<running> brief;
    for (std::size_t i = 0; i < count; ++i) brief.emplace_back(w, a, enter_briefly(queue{*a.session, "x"}));
    for (auto& each : brief) each.wait();
    w.scheduler.run_for(5s);
    const auto begun = std::clock();
    for (std::size_t i = 0; i < count; ++i) {
        queue_turn mine;
        run(w, a, try_enter(queue{*a.session, "x"}, mine));
        run(w, a, leave(mine));
    }
    return static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
}

/// By the least of each, for other programs only add to it: at most five times, until that shows it.
template <class Seconds>
double growth(Seconds seconds, std::size_t count) {
    auto few = std::numeric_limits<double>::max();
    auto many = few;
    for (int i = 0; i < 5 && (i < 2 || many / few >= linear); ++i) {
        few = std::min(few, seconds(count));
        many = std::min(many, seconds(4 * count));
    }
    return many / few;
}

}  // namespace

TEST_CASE("callers of one process cost the processor as much each, however many they are", "[effort]") {
    CHECK(growth(seconds_for_entrants, 3000) < linear);
    CHECK(growth(seconds_for_patience, 1000) < linear);
    CHECK(growth(seconds_for_tries, 3000) < linear);
}

TEST_CASE("looking at a queue costs a query for each hundred that wait") {
    const auto queries = [](std::size_t waiting) {
        world w;
        node a(w, 1);
        node b(w, 2);
        std::vector<queue_turn> turns(waiting);
        const auto waits = enter_many(w, a, turns);
        w.scheduler.run_for(5s);
        queue_info info;
        run(w, b, inspect(queue{*b.session, "x"}, info));
        CHECK(info.waiting.size() == waiting - 1);
        return sent(b, "Query");
    };
    CHECK(queries(90) == 1);
    CHECK(queries(360) == 4);
}

TEST_CASE("a number whose row is not to be seen yet is shown as one ticket, however many numbers it skipped") {
    world w;
    node a(w);
    item head{{"pk", "queue#x"}, {"sk", "/"}, {"v", 1}, {"last", "theirs"}};
    head.emplace("passed", 1000);
    head.emplace("tail", 1000 + 4'000'000'000);
    head.emplace("skipped", 4'000'000'000 - 2);
    w.apply(put_item_request{.table_name = table, .new_item = head});
    queue_info info;
    run(w, a, inspect(queue{*a.session, "x"}, info));
    CHECK(info.waiting.size() == 2);
    CHECK(info.waiting.back().ticket == info.last_ticket);
}

TEST_CASE("callers of one process who want the same queues draw one after the other, and none in vain") {
    for (const std::size_t callers : {10U, 40U}) {
        world w;
        node a(w);
        a.network->set_plan(one_way(2500us));
        std::vector<queue> queues{queue{*a.session, "x"}, queue{*a.session, "y"}};
        std::vector<running> all;
        for (std::size_t i = 0; i < callers; ++i) {
            std::swap(queues[0], queues[1]);
            all.emplace_back(w, a, enter_both_briefly(queues));
        }
        for (auto& each : all) each.wait(10s);
        CHECK(sent(a, "TransactWriteItems") <= callers + 2);  // one may meet a leave that is under way
        CHECK(w.scheduler.now().time_since_epoch() < callers * 20ms + 1s);
        w.scheduler.run_for(5s);
        CHECK(nothing_left(w, "x"));
        CHECK(nothing_left(w, "y"));
    }
}

namespace {
asio::awaitable<void> use_now_and_then(queue target, const node& in, std::chrono::nanoseconds pause, const bool& over) {
    while (!over) {
        auto turn = co_await target.enter();
        co_await turn.leave();
        co_await sleep(in, pause);
    }
}
}  // namespace

TEST_CASE("several queues are entered beside others who use each of them many times a second") {
    for (const std::size_t count : {2U, 5U}) {
        world w(3);
        node others(w, 1);
        node mine(w, 99);
        for (auto* each : {&others, &mine}) each->network->set_plan(one_way(2500us));
        bool over = false;
        std::vector<running> all;
        std::vector<queue> queues;
        for (std::size_t i = 0; i < count; ++i) {
            const auto name = "q" + std::to_string(i);
            all.emplace_back(w, others, use_now_and_then(queue{*others.session, name}, others, 20ms, over));
            w.scheduler.run_for(7ms);
            queues.emplace_back(*mine.session, name);
        }
        w.scheduler.run_for(3s);
        for (int round = 0; round < 10; ++round) {
            mine.network->clear_log();
            const auto begun = w.scheduler.now();
            run(w, mine, enter_both_briefly(queues), 20s);
            CHECK(w.scheduler.now() - begun < 10s);
            CHECK(sent(mine, "TransactWriteItems") < 60);
            w.scheduler.run_for(2s);
        }
        over = true;
        w.scheduler.run_for(5s);
    }
}

TEST_CASE("queues whose requests fail together are not asked for again in step") {
    world w;
    node a(w);
    queue_turn first;
    run(w, a, enter(queue{*a.session, "other"}, first));
    a.network->set_plan([](const any_request& request, const call_options&) {
        const auto* write = std::get_if<update_item_request>(&request);
        const bool draws = write != nullptr && find_string(write->key, "pk")->starts_with("queue#");
        return draws ? fault{.what = fault::kind::fail, .answer = failure(errc::throttled)} : fault{};
    });
    a.network->clear_log();
    std::vector<queue_turn> turns(20);
    std::vector<running> waits;
    for (std::size_t i = 0; i < turns.size(); ++i) {
        waits.emplace_back(w, a, enter(queue{*a.session, "x" + std::to_string(i)}, turns[i], {}));
    }
    w.scheduler.run_for(5s);
    std::map<time_point, std::size_t> at_once;
    for (const auto& entry : a.network->log()) ++at_once[entry->sent];
    REQUIRE(at_once.size() > 1);
    for (auto each = std::next(at_once.begin()); each != at_once.end(); ++each) CHECK(each->second <= 2);
    a.network->set_plan({});
    for (auto& each : waits) each.wait(5s);
}
