// Transactions that meet other requests while they are at work.
// SPDX-License-Identifier: BSL-1.0
#include "unit/local/engine_world.hpp"

#include <algorithm>
#include <vector>

namespace dynalease::local::test {

namespace {

using namespace std::chrono_literals;

/// Each write takes 50 ms.
struct slow_world : engine_world {
    slow_world() { store.set_write_time(50ms); }
};

transact_write_items_request transaction(const char* key, std::string token = {}) {
    transact_write_items_request request;
    request.client_request_token = std::move(token);
    request.actions.emplace_back(transact_put{.table_name = "things", .new_item = {{"pk", "free"}}});
    request.actions.emplace_back(transact_put{.table_name = "things", .new_item = {{"pk", key}, {"n", 1}}});
    return request;
}

put_item_request put_of(const char* key) {
    put_item_request request;
    request.table_name = "things";
    request.new_item = {{"pk", key}};
    return request;
}

transact_get_items_request read_of(const char* key) {
    transact_get_items_request request;
    request.gets = {{.table_name = "things", .key = {{"pk", key}}}};
    return request;
}

}  // namespace

TEST_CASE("a write that meets a transaction is refused until the transaction is over") {
    slow_world world;
    REQUIRE(world.execute(transaction("a")));
    for (int i = 0; i < 5; ++i) {
        const auto why = world.execute(put_of("a")).error();
        CHECK(why.code == errc::transaction_conflict);
        CHECK(why.outcome == outcome::not_applied);
        world.now += 10ms;
    }
    CHECK(world.execute(put_of("a")));
    CHECK(world.execute(put_of("elsewhere")));
}

TEST_CASE("a transaction that meets a transaction is cancelled at the item they share") {
    slow_world world;
    REQUIRE(world.execute(transaction("a")));
    auto second = transaction("a");
    std::get<transact_put>(second.actions[0]).new_item = {{"pk", "other"}};
    const auto why = world.execute(second).error();
    REQUIRE(why.reasons.size() == 2);
    CHECK(why.reasons[0].code == "None");
    CHECK(why.reasons[1].code == "TransactionConflict");
    CHECK_FALSE(world.get({{"pk", "other"}}));
    world.now += 50ms;
    CHECK(world.execute(second));
}

TEST_CASE("a transaction's read meets every write, a plain read none") {
    slow_world world;
    REQUIRE(world.execute(put_of("a")));
    CHECK(world.execute(read_of("a")).error().reasons.front().code == "TransactionConflict");
    CHECK(world.get({{"pk", "a"}}));
    CHECK(world.execute(put_of("a")));  // single writes do not meet each other
    world.now += 50ms;
    CHECK(world.execute(read_of("a")));
}

TEST_CASE("a batch leaves the writes that meet a transaction unprocessed") {
    slow_world world;
    REQUIRE(world.execute(transaction("a")));
    batch_write_item_request request;
    request.tables["things"] = {batch_put{{{"pk", "a"}}}, batch_put{{{"pk", "b"}}}};
    const auto answer = world.execute(request).value();
    CHECK(answer.unprocessed.at("things").size() == 1);
    CHECK(world.get({{"pk", "b"}}));
}

TEST_CASE("a transaction's read meets the writes of a batch") {
    slow_world world;
    batch_write_item_request request;
    request.tables["things"] = {batch_put{{{"pk", "a"}}}, batch_put{{{"pk", "b"}}}};
    REQUIRE(world.execute(request));
    for (const char* key : {"a", "b"}) {
        CHECK(world.execute(read_of(key)).error().code == errc::transaction_canceled);
    }
    world.now += 50ms;
    CHECK(world.execute(read_of("b")));
}

TEST_CASE("a token that comes back while its transaction is at work is told so") {
    slow_world world;
    REQUIRE(world.execute(transaction("a", "token")));
    const auto why = world.execute(transaction("a", "token")).error();
    CHECK(why.code == errc::transaction_conflict);
    CHECK(why.outcome == outcome::unknown);
    CHECK(why.details.message == "Transaction from previous request is still in progress");
    CHECK(world.execute(transaction("b", "token")).error().code == errc::idempotency_mismatch);
    world.now += 50ms;
    CHECK(world.execute(transaction("a", "token")));
}

TEST_CASE("without a duration nothing meets anything") {
    engine_world world;
    REQUIRE(world.execute(transaction("a")));
    CHECK(world.execute(put_of("a")));
    CHECK(world.execute(transaction("a")));
    CHECK(world.execute(read_of("a")));
}

TEST_CASE("faults come at their rates, the same for the same seed") {
    const auto outcomes = [](std::uint64_t seed) {
        engine_world world;
        world.store.set_faults({.throttled = 0.2, .failed = 0.2, .conflicting = 0.2, .seed = seed});
        std::vector<int> codes;
        for (int i = 0; i < 1000; ++i) {
            const auto answer = world.execute(put_of("a"));
            codes.push_back(answer ? 0 : answer.error().code.value());
        }
        return codes;
    };
    const auto codes = outcomes(1);
    for (const errc each : {errc::throttled, errc::server_error, errc::transaction_conflict}) {
        const auto count = std::ranges::count(codes, static_cast<int>(each));
        CHECK(count > 80);
        CHECK(count < 280);
    }
    CHECK(codes == outcomes(1));
    CHECK(codes != outcomes(2));
}

TEST_CASE("of the failed requests some are done and some are not; of the throttled none is") {
    engine_world world;
    world.store.set_faults({.failed = 1});
    int done = 0;
    constexpr int tries = 200;
    for (int i = 0; i < tries; ++i) {
        const std::string key = std::to_string(i);
        const auto why = world.execute(put_of(key.c_str())).error();
        CHECK(why.outcome == outcome::unknown);
        world.store.set_faults({});
        done += world.get({{"pk", key}}) ? 1 : 0;
        world.store.set_faults({.failed = 1, .seed = static_cast<std::uint64_t>(i)});
    }
    CHECK(done > tries / 4);
    CHECK(done < tries * 3 / 4);
    world.store.set_faults({.throttled = 1});
    CHECK(world.execute(put_of("never")).error().outcome == outcome::not_applied);
    world.store.set_faults({});
    CHECK_FALSE(world.get({{"pk", "never"}}));
}

TEST_CASE("conflicts that come at a rate come to writes and to reads in transactions, and to no plain read") {
    engine_world world;
    REQUIRE(world.execute(put_of("a")));
    world.store.set_faults({.conflicting = 1});
    CHECK(world.execute(put_of("a")).error().code == errc::transaction_conflict);
    for (const auto& why : {world.execute(transaction("a")).error(), world.execute(read_of("a")).error()}) {
        CHECK(why.code == errc::transaction_canceled);
        REQUIRE_FALSE(why.reasons.empty());
        CHECK(why.reasons.front().code == "TransactionConflict");
    }
    CHECK(world.execute(get_item_request{.table_name = "things", .key = {{"pk", "a"}}}));
}

}  // namespace dynalease::local::test
