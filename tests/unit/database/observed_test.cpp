// A database whose calls are told to a hook.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/coordination_table.hpp>
#include <dynalease/dynamodb/sleep.hpp>
#include <dynalease/histogram.hpp>
#include <dynalease/lock.hpp>
#include <dynalease/observed.hpp>
#include <dynalease/testing/node.hpp>
#include <dynalease/testing/running.hpp>

#include <catch2/catch.hpp>

#include <stdexcept>
#include <string>
#include <vector>

using namespace dynalease;
using namespace std::chrono_literals;

namespace {

/// No string keeps it within itself.
const std::string long_key = "a key that is longer than what the strings of any library keep within themselves";

struct told {
    std::string operation;
    std::string table;
    lane way = lane::ordinary;
    std::chrono::nanoseconds took{};
    outcome result = outcome::applied;
    error_code code{};
    unsigned attempts = 0;
    std::string fault{};
};

call_hook into(std::vector<told>& all) {
    return [&all](const call_report& call) {
        all.push_back({std::string(call.operation), std::string(call.table), call.lane, call.took, call.result,
                       call.code, call.fault ? call.fault->attempts : 0,
                       call.fault ? call.fault->to_string() : std::string()});
    };
}

boost::asio::awaitable<void> hold_a_lock(database on) {
    session_options options;
    options.table = "coordination";
    session own{on, options};
    lock account{own, "account/42"};
    auto guard = co_await account.acquire();
    co_await dynalease::sleep(on, 6s);
    co_await guard.release();
    co_await own.close();
}

boost::asio::awaitable<void> put_twice(database on) {
    for (int i = 0; i < 2; ++i) {
        put_item_request request;
        request.table_name = "coordination";
        request.new_item = {{"pk", long_key}, {"sk", "b"}};
        request.condition_expression = "attribute_not_exists(pk)";
        auto answer = co_await on.call(std::move(request));
        CHECK(answer.has_value() == (i == 0));
    }
}

}  // namespace

TEST_CASE("every call of a session is told, its heartbeats as such") {
    testing::world world;
    world.create_table("coordination");
    testing::node node(world);
    std::vector<told> calls;
    testing::run(world, node, hold_a_lock(observed(node.database(), into(calls))));
    std::size_t heartbeats = 0;
    for (const told& each : calls) {
        CHECK((each.operation == "UpdateItem" || each.operation == "PutItem"));
        CHECK(each.table == "coordination");
        CHECK(each.result == outcome::applied);
        CHECK_FALSE(each.code);
        heartbeats += each.way == lane::heartbeat;
    }
    CHECK(calls.size() >= 5);  // the session's row, the lock, two heartbeats, the release
    CHECK(heartbeats >= 2);
}

TEST_CASE("a call that failed is told with what is known, and how long it took") {
    testing::world world;
    world.create_table("coordination");
    testing::node node(world);
    std::vector<told> calls;
    testing::run(world, node, put_twice(observed(node.database(), into(calls))));
    REQUIRE(calls.size() == 2);
    CHECK(calls[0].result == outcome::applied);
    CHECK(calls[1].code == errc::condition_failed);
    CHECK(calls[1].result == outcome::not_applied);
    CHECK(calls[1].attempts == 1);
    CHECK(calls[0].fault.empty());
    CHECK(calls[1].fault.find(long_key) != std::string::npos);
    CHECK(calls[1].fault.find("PutItem, table coordination") != std::string::npos);
    node.network().set_plan([](const any_request&, const call_options&) {
        testing::fault fate;
        fate.what = testing::fault::kind::lose_answer;
        return fate;
    });
    calls.clear();
    testing::run(world, node, [](database on) -> boost::asio::awaitable<void> {
        put_item_request request;
        request.table_name = "coordination";
        request.new_item = {{"pk", "c"}, {"sk", "b"}};
        call_options how;
        how.timeout = 3s;
        auto answer = co_await on.call(std::move(request), how);
        CHECK_FALSE(answer.has_value());
    }(observed(node.database(), into(calls))));
    REQUIRE(calls.size() == 1);
    CHECK(calls[0].result == outcome::unknown);
    CHECK(calls[0].took >= 900ms);
}

TEST_CASE("what a hook throws does not reach whoever waits for the answer") {
    testing::world world;
    world.create_table("coordination");
    testing::node node(world);
    int told_of = 0;
    const auto throws = [&](const call_report&) {
        ++told_of;
        throw std::runtime_error("of the user's own");
    };
    testing::run(world, node, hold_a_lock(observed(node.database(), throws)));
    CHECK(told_of >= 3);
}

TEST_CASE("times go to the first bucket that takes them") {
    histogram times;
    for (const auto time :
         {std::chrono::nanoseconds(-5), std::chrono::nanoseconds(1ms), std::chrono::nanoseconds(1001us),
          std::chrono::nanoseconds(10s), std::chrono::nanoseconds(60s), std::chrono::nanoseconds(61s)}) {
        times.observe(time);
    }
    CHECK(times.count() == 6);
    CHECK(times.sum() == 131s + 2001us);
    CHECK(times.buckets().front() == 2);
    CHECK(times.buckets()[1] == 1);
    CHECK(times.buckets()[12] == 1);
    CHECK(times.buckets()[14] == 1);
    CHECK(times.buckets().back() == 1);
}
