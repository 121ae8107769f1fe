// Machines: their crashes, their clocks, and the store that outlives them.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/testing/node.hpp>
#include <dynalease/testing/running.hpp>
#include <dynalease/testing/world.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include <catch2/catch.hpp>

#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>

namespace asio = boost::asio;
using namespace dynalease;
using namespace std::chrono_literals;
using testing::fault;

namespace {

item row_of(std::int64_t value) {
    return {{"pk", "row"}, {"sk", "-"}, {"value", value}};
}

asio::awaitable<error_code> put(database target, std::int64_t value) {
    put_item_request request{.table_name = "coordination", .new_item = row_of(value)};
    const auto done = co_await target.call(std::move(request));
    co_return done ? error_code() : done.error().code;
}

asio::awaitable<void> count_seconds(testing::node& in, int& counted) {
    for (;;) {
        co_await testing::sleep(in, 1s);
        ++counted;
    }
}

asio::awaitable<std::int64_t> read(database target, bool consistent) {
    get_item_request request{
        .table_name = "coordination", .key = {{"pk", "row"}, {"sk", "-"}}, .consistent_read = consistent};
    const auto found = co_await target.call(std::move(request));
    co_return find_integer(*found.value().found, "value").value_or(-1);
}

struct two_nodes {
    two_nodes() { simulated.create_table("coordination"); }
    testing::world simulated;
    testing::node a{simulated, {.seed = 1}};
    testing::node b{simulated, {.seed = 2}};
};

}  // namespace

TEST_CASE_METHOD(two_nodes, "a row is found by its table's own key, and a table that is not there is told of") {
    const key_schema key{.hash = {.name = "isbn", .type = scalar_type::n}};
    simulated.call(create_table_request{.table_name = "books", .key = key}).value();
    simulated.call(put_item_request{.table_name = "books", .new_item = {{"isbn", 42}, {"title", "x"}}}).value();
    const auto found = simulated.row("books", "42");
    REQUIRE(found);
    CHECK(*find_string(*found, "title") == "x");
    CHECK_FALSE(simulated.row("books", "43"));
    CHECK_FALSE(simulated.row("coordination", "row"));
    CHECK_THROWS_AS(simulated.row("other", "42"), error);
}

TEST_CASE_METHOD(two_nodes, "a refused transaction blames whatever may be at fault, as with the client", "[node]") {
    const auto writing = [](database target) -> asio::awaitable<failure> {
        transact_write_items_request both;
        both.actions.emplace_back(transact_put{.table_name = "coordination", .new_item = row_of(1)});
        both.actions.emplace_back(transact_put{.table_name = "absent", .new_item = row_of(1)});
        const auto done = co_await target.call(std::move(both));
        co_return done.error();
    };
    const auto why = testing::run(simulated, a, writing(a.database()));
    CHECK(why.code == errc::table_not_found);
    CHECK(why.details.table == "coordination, absent");
    CHECK(why.details.key.empty());
    CHECK(why.details.attempts == 1);
}

TEST_CASE_METHOD(two_nodes, "nodes share one store, each through a network of its own", "[node]") {
    CHECK_FALSE(testing::run(simulated, a, put(a.database(), 7)));
    CHECK(testing::run(simulated, b, read(b.database(), true)) == 7);
    b.network().set_plan(
        [](const any_request&, const call_options&) { return fault{.what = fault::kind::lose_answer}; });
    CHECK(testing::run(simulated, b, put(b.database(), 8)) == errc::in_doubt);
    CHECK(find_integer(simulated.row("coordination", "row").value(), "value") == 8);
}

TEST_CASE_METHOD(two_nodes, "a crash ends everything that runs in the node, and a restart begins anew", "[node]") {
    int first_life = 0;
    int second_life = 0;
    testing::running counting(simulated, a, count_seconds(a, first_life));
    simulated.run_for(5500ms);
    const auto wall = a.clock().wall();
    a.crash();
    simulated.run_for(10s);
    CHECK(first_life == 5);
    a.restart(9);
    CHECK(a.clock().wall() - wall == 10s);
    testing::running again(simulated, a, count_seconds(a, second_life));
    simulated.run_for(3500ms);
    CHECK(first_life == 5);
    CHECK(second_life == 3);
}

TEST_CASE_METHOD(two_nodes, "what a wait owned may cancel another when both end with their process", "[node]") {
    struct emission {
        void operator()(asio::cancellation_signal* signal) const { signal->emit(asio::cancellation_type::terminal); }
    };
    for (int i = 0; i < 3; ++i) {
        asio::cancellation_signal signal;
        const auto now = a.clock().now();
        std::unique_ptr<asio::cancellation_signal, emission> first(&signal);
        a.clock().async_wait_until(now + 1s, [first = std::move(first)](const error_code&) {});
        a.clock().async_wait_until(now + 2s, asio::bind_cancellation_slot(signal.slot(), [](const error_code&) {}));
        a.crash();
        for (int steps = 0; steps < 100 && simulated.step(); ++steps) continue;
        a.restart(9);
    }
    CHECK_FALSE(simulated.step());
}

TEST_CASE_METHOD(two_nodes, "what a body throws is told to whoever waits, and written down where nobody does",
                 "[node]") {
    const auto failing = []() -> asio::awaitable<void> {
        co_await asio::this_coro::executor;
        throw std::runtime_error("of its own");
    };
    std::ostringstream told;
    auto* const before = std::cerr.rdbuf(told.rdbuf());
    {
        testing::running asked(simulated, a, failing());
        CHECK_THROWS_WITH(asked.wait(), "of its own");
    }
    CHECK(told.str().empty());
    {
        const testing::running forgotten(simulated, a, failing());
        simulated.run_for(1s);
        CHECK(forgotten.done());
    }
    std::cerr.rdbuf(before);
    CHECK(told.str().find("nobody waited for what has failed: of its own") != std::string::npos);
}

TEST_CASE_METHOD(two_nodes, "a paused node's clock goes on, a frozen one's stands still", "[node]") {
    int paused = 0;
    int frozen = 0;
    testing::running on_a(simulated, a, count_seconds(a, paused));
    testing::running on_b(simulated, b, count_seconds(b, frozen));
    simulated.run_for(1ms);
    const auto start = b.clock().now();
    a.pause();
    b.freeze();
    simulated.run_for(10s);
    CHECK(paused == 0);
    CHECK(frozen == 0);
    CHECK(b.clock().now() == start);
    a.resume();
    b.resume();
    simulated.run_for(100ms);
    CHECK(paused == 1);
    CHECK(frozen == 0);
    simulated.run_for(1s);
    CHECK(frozen == 1);
}

TEST_CASE_METHOD(two_nodes, "a stale read shows the row before its last write, a consistent one never does", "[node]") {
    simulated.keep_previous_rows();
    testing::run(simulated, a, put(a.database(), 1));
    simulated
        .call(update_item_request{.table_name = "coordination",
                                  .key = {{"pk", "row"}, {"sk", "-"}},
                                  .update_expression = "SET #v = :v",
                                  .names = {{"#v", "value"}},
                                  .values = {{":v", 2}}})
        .value();
    a.network().set_plan(
        [](const any_request&, const call_options&) { return fault{.what = fault::kind::stale_read}; });
    CHECK(testing::run(simulated, a, read(a.database(), false)) == 1);
    CHECK(testing::run(simulated, a, read(a.database(), true)) == 2);
}

TEST_CASE_METHOD(two_nodes, "a table comes back from a backup", "[node]") {
    testing::run(simulated, a, put(a.database(), 1));
    const auto backup = simulated.image("coordination");
    testing::run(simulated, a, put(a.database(), 2));
    simulated.restore("coordination", backup);
    CHECK(testing::run(simulated, a, read(a.database(), true)) == 1);
}

TEST_CASE_METHOD(two_nodes, "of a partial batch the rest comes back", "[node]") {
    batch_write_item_request batch;
    for (const auto* key : {"1", "2", "3"}) {
        batch.tables["coordination"].push_back(batch_put{{{"pk", key}, {"sk", "-"}}});
    }
    const auto answer = simulated.apply(batch, fault::kind::partial_batch);
    const auto& later = std::get<batch_write_item_response>(answer.value()).unprocessed;
    CHECK(later.at("coordination").size() == 1);
    CHECK(simulated.row("coordination", "2"));
    CHECK_FALSE(simulated.row("coordination", "3"));
}

TEST_CASE_METHOD(two_nodes, "of a partial batch of reads the rest is to be asked for again", "[node]") {
    batch_get_item_request batch;
    for (const auto* key : {"1", "2", "3"}) {
        const item row{{"pk", key}, {"sk", "-"}};
        simulated.call(put_item_request{.table_name = "coordination", .new_item = row}).value();
        batch.tables["coordination"].keys.push_back(row);
    }
    batch.tables["coordination"].consistent_read = true;
    const auto answer = simulated.apply(batch, fault::kind::partial_batch);
    const auto& read = std::get<batch_get_item_response>(answer.value());
    CHECK(read.items.at("coordination").size() == 2);
    const auto& later = read.unprocessed.at("coordination");
    CHECK(later.keys == std::vector<item_key>{{{"pk", "3"}, {"sk", "-"}}});
    CHECK(later.consistent_read);
}

TEST_CASE_METHOD(two_nodes, "a request that stands in line for a connection too long was never sent", "[node]") {
    a.network().set_plan([](const any_request&, const call_options&) { return fault{.queued = 5s}; });
    CHECK(testing::run(simulated, a, put(a.database(), 1)) == errc::timeout);
    CHECK_FALSE(simulated.row("coordination", "row"));
    a.network().set_plan([](const any_request&, const call_options&) { return fault{.queued = 500ms}; });
    CHECK_FALSE(testing::run(simulated, a, put(a.database(), 1)));
}

TEST_CASE("who waits for what does not end is told whether time was too short or nothing could end it") {
    testing::world simulated;
    simulated.create_table("coordination");
    testing::node a(simulated);
    const auto sleeps = [](const testing::node& in) -> asio::awaitable<void> { co_await testing::sleep(in, 1h); };
    CHECK_THROWS_WITH(testing::run(simulated, a, sleeps(a), 2min),
                      Catch::StartsWith("it does not end within its limit, 120 s of simulated time"));
    testing::world still;
    still.create_table("coordination");
    testing::node b(still);
    const auto waits = [](const testing::node&) -> asio::awaitable<void> {
        asio::steady_timer never(co_await asio::this_coro::executor);
        never.expires_at(asio::steady_timer::time_point::max());
        co_await never.async_wait(asio::deferred);
    };
    CHECK_THROWS_WITH(testing::run(still, b, waits(b), 2min), Catch::Contains("timer of Asio's never ends here"));
}
