// Transactions: all or nothing, reasons in order, tokens.
// SPDX-License-Identifier: BSL-1.0
#include "unit/local/engine_world.hpp"

#include <vector>

namespace dynalease::local::test {

namespace {

transact_put put_of(std::string key, std::string condition = {}) {
    transact_put put;
    put.table_name = "things";
    put.new_item = {{"pk", std::move(key)}, {"n", 1}};
    put.condition_expression = std::move(condition);
    return put;
}

transact_update increment(std::string key) {
    transact_update update;
    update.table_name = "things";
    update.key = {{"pk", std::move(key)}};
    update.update_expression = "ADD n :one";
    update.values = {{":one", 1}};
    return update;
}

condition_check check_of(std::string key, std::string condition) {
    condition_check check;
    check.table_name = "things";
    check.key = {{"pk", std::move(key)}};
    check.condition_expression = std::move(condition);
    return check;
}

transact_delete delete_of(std::string key) {
    transact_delete erase;
    erase.table_name = "things";
    erase.key = {{"pk", std::move(key)}};
    return erase;
}

transact_write_items_request transaction(std::vector<transact_write> actions, std::string token = {}) {
    transact_write_items_request request;
    request.actions = std::move(actions);
    request.client_request_token = std::move(token);
    return request;
}

std::vector<std::string> codes(const failure& why) {
    std::vector<std::string> result;
    for (const auto& reason : why.reasons) result.push_back(reason.code);
    return result;
}

using strings = std::vector<std::string>;

}  // namespace

TEST_CASE("a transaction takes 4 MB of the smallest numbers, and reads them") {
    engine_world world;
    std::vector<transact_write> increments;
    transact_get_items_request reading;
    for (int i = 0; i < 10; ++i) {
        const auto key = std::to_string(i);
        world.put({{"pk", key}, {"a", attribute_list(130'000, 1)}});
        increments.emplace_back(increment(key));
        transact_get& one = reading.gets.emplace_back();
        one.table_name = "things";
        one.key = {{"pk", key}};
    }
    CHECK(world.fault(transaction(increments)).empty());
    CHECK(world.fault(reading).empty());
}

TEST_CASE("a transaction does all of it") {
    engine_world world;
    world.put({{"pk", "old"}, {"n", 1}});
    world.put({{"pk", "there"}});
    CHECK(world.execute(transaction({put_of("new", "attribute_not_exists(pk)"), increment("fresh"), delete_of("old"),
                                     check_of("there", "attribute_exists(pk)")})));
    CHECK(world.get({{"pk", "new"}}) == item{{"pk", "new"}, {"n", 1}});
    CHECK(world.get({{"pk", "fresh"}}) == item{{"pk", "fresh"}, {"n", 1}});
    CHECK_FALSE(world.get({{"pk", "old"}}));
    CHECK(world.get({{"pk", "there"}}) == item{{"pk", "there"}});
}

TEST_CASE("one refusal leaves everything alone, and each action has its reason in order") {
    engine_world world;
    world.put({{"pk", "a"}, {"n", 5}});
    world.put({{"pk", "text"}, {"n", "no number"}});
    auto refused = put_of("a", "attribute_not_exists(pk)");
    refused.current_on_refusal = true;
    auto absent = check_of("gone", "attribute_exists(pk)");
    absent.current_on_refusal = true;
    const auto why =
        world.execute(transaction({put_of("b"), refused, increment("text"), absent, delete_of("text2")})).error();
    CHECK(why.code == errc::transaction_canceled);
    CHECK(codes(why) == strings{"None", "ConditionalCheckFailed", "ValidationError", "ConditionalCheckFailed", "None"});
    CHECK(why.details.message ==
          "Transaction cancelled, please refer cancellation reasons for specific reasons [None, "
          "ConditionalCheckFailed, ValidationError, ConditionalCheckFailed, None]");
    CHECK(why.reasons[1].current == item{{"pk", "a"}, {"n", 5}});
    CHECK(why.reasons[1].message == "The conditional request failed");
    CHECK(why.reasons[2].message == "An operand in the update expression has an incorrect data type");
    CHECK_FALSE(why.reasons[3].current);
    CHECK_FALSE(world.get({{"pk", "b"}}));
    CHECK(world.get({{"pk", "a"}}) == item{{"pk", "a"}, {"n", 5}});
}

TEST_CASE("of malformed actions the first is the only reason, whatever the conditions say") {
    engine_world world;
    auto misfit = delete_of("x");
    misfit.key = {{"wrong", "x"}};
    const auto why =
        world.execute(transaction({check_of("a", "attribute_exists(pk)"), misfit, misfit, put_of("b")})).error();
    CHECK(codes(why) == strings{"None", "ValidationError", "None", "None"});
    CHECK(why.reasons[1].message == "The provided key element does not match the schema");
    CHECK_FALSE(world.get({{"pk", "b"}}));
}

TEST_CASE("faults of the whole request") {
    engine_world world;
    CHECK(world.fault(transaction({put_of("a"), increment("a")})) ==
          "Transaction request cannot include multiple operations on one item");
    CHECK_FALSE(world.fault(transaction({})).empty());
    CHECK_THAT(world.fault(transaction(std::vector<transact_write>(101, put_of("a")))),
               Catch::Contains("less than or equal to 100"));
    CHECK_THAT(world.fault(transaction({put_of("a", "attribute_exists(")})),
               Catch::StartsWith("Invalid ConditionExpression: Syntax error"));
    CHECK_FALSE(world.fault(transaction({check_of("a", "")})).empty());
    CHECK_THAT(world.fault(transaction({put_of("a")}, std::string(37, 't'))), Catch::Contains("clientRequestToken"));
    auto elsewhere = put_of("a");
    elsewhere.table_name = "nowhere";
    CHECK(world.execute(transaction({put_of("b"), elsewhere})).error().code == errc::table_not_found);
    auto misfit = delete_of("x");
    misfit.key = {{"wrong", "x"}};
    CHECK(world.execute(transaction({misfit, elsewhere})).error().code == errc::table_not_found);
    CHECK(world.execute(transaction({put_of("b"), delete_of("")})).error().code == errc::validation);
    transact_get_items_request gets;
    gets.gets.push_back({"nowhere", {{"pk", "a"}}});
    gets.gets.push_back({"things", {{"pk", "a"}}, "a["});
    CHECK_THAT(world.fault(gets), Catch::StartsWith("Invalid ProjectionExpression: Syntax error"));
    CHECK_FALSE(world.get({{"pk", "a"}}));
    CHECK_FALSE(world.get({{"pk", "b"}}));
}

TEST_CASE("a hundred actions are one transaction") {
    engine_world world;
    std::vector<transact_write> actions;
    for (int i = 0; i < 100; ++i) actions.emplace_back(increment(std::to_string(i)));
    CHECK(world.execute(transaction(actions)));
    actions.back() = check_of("gone", "attribute_exists(pk)");
    CHECK_FALSE(world.execute(transaction(actions)));
    CHECK(find_integer(*world.get({{"pk", "7"}}), "n") == 1);
}

TEST_CASE("a token makes a repeat harmless for ten minutes") {
    engine_world world;
    const auto request = transaction({increment("a")}, "token");
    CHECK(world.execute(request));
    CHECK(world.execute(request));
    world.now += std::chrono::minutes(10);
    CHECK(world.execute(request));
    CHECK(find_integer(*world.get({{"pk", "a"}}), "n") == 1);
    world.now += std::chrono::milliseconds(1);
    CHECK(world.execute(request));
    CHECK(find_integer(*world.get({{"pk", "a"}}), "n") == 2);
}

TEST_CASE("a token that comes back with another request is refused") {
    engine_world world;
    const auto request = transaction({increment("a")}, "token");
    REQUIRE(world.execute(request));
    auto other_key = transaction({increment("b")}, "token");
    auto other_value = transaction({increment("a")}, "token");
    auto other_answer = request;
    std::get<transact_update>(other_answer.actions.front()).current_on_refusal = true;
    std::get<transact_update>(other_value.actions[0]).values = {{":one", 2}};
    auto other_type = other_value;
    std::get<transact_update>(other_type.actions[0]).values = {{":one", "1"}};
    auto more = transaction({increment("a"), increment("b")}, "token");
    for (const auto& other : {other_key, other_value, other_type, other_answer, more}) {
        const auto why = world.execute(other).error();
        CHECK(why.code == errc::idempotency_mismatch);
    }
    auto asks_more = request;
    asks_more.report_capacity = true;
    CHECK(world.execute(asks_more));
    CHECK(find_integer(*world.get({{"pk", "a"}}), "n") == 1);
}

TEST_CASE("a repeat by its token costs the reads of what it wrote") {
    engine_world world;
    world.put({{"pk", "large"}, {"n", 1}, {"text", std::string(5000, 'x')}});
    auto request = transaction({increment("a"), increment("large")}, "token");
    request.report_capacity = true;
    REQUIRE(world.execute(request));
    const auto repeat = world.execute(request);
    REQUIRE(repeat);
    const auto& consumed = repeat->consumed;
    REQUIRE(consumed.size() == 1);
    CHECK(consumed[0].read_units == 6.0);
    CHECK(consumed[0].capacity_units == 6.0);
    CHECK_FALSE(consumed[0].write_units);
}

TEST_CASE("a cancelled transaction does not use up its token") {
    engine_world world;
    const auto request = transaction({put_of("a", "attribute_not_exists(n)")}, "token");
    world.put({{"pk", "a"}, {"n", 7}});
    CHECK(world.execute(request).error().code == errc::transaction_canceled);
    world.put({{"pk", "a"}});
    CHECK(world.execute(request));
    CHECK(world.execute(request));
}

TEST_CASE("TransactGetItems answers in order, with gaps") {
    engine_world world;
    world.put({{"pk", "a"}, {"n", 1}, {"s", "x"}});
    transact_get_items_request request;
    const auto get = [](std::string key, std::string projection = {}) {
        return transact_get{"things", {{"pk", std::move(key)}}, std::move(projection)};
    };
    world.put({{"pk", "b"}});
    request.gets = {get("gone"), get("a", "s"), get("b", "s")};
    const auto answer = world.execute(request).value();
    REQUIRE(answer.items.size() == 3);
    CHECK_FALSE(answer.items[0]);
    CHECK(answer.items[1] == item{{"s", "x"}});
    CHECK_FALSE(answer.items[2]);
    request.gets.push_back(get("a"));
    CHECK(world.fault(request) == "Transaction request cannot include multiple operations on one item");
    request.gets = {get("a"), transact_get{"things", {{"wrong", "x"}}}};
    CHECK(codes(world.execute(request).error()) == strings{"None", "ValidationError"});
}

TEST_CASE("a transaction reads no more than 4 MB") {
    engine_world world;
    transact_get_items_request request;
    for (int i = 0; i < 11; ++i) {
        const std::string key = "k" + std::to_string(i);
        world.put({{"pk", key}, {"v", std::string(400'000, 'x')}});
        request.gets.push_back({.table_name = "things", .key = {{"pk", key}}});
    }
    CHECK_THAT(world.fault(request), Catch::StartsWith("Transaction payload size cannot exceed 4MB"));
    request.gets.pop_back();
    CHECK(world.execute(request).value().items.size() == 10);
}

TEST_CASE("an empty key is the fault of the whole transaction") {
    engine_world world;
    transact_get_items_request reads;
    reads.gets.push_back({.table_name = "things", .key = {{"pk", ""}}});
    CHECK_THAT(world.fault(reads), Catch::Contains("cannot contain an empty string value. Key: pk"));
    CHECK_THAT(world.fault(transaction({delete_of("")})), Catch::Contains("cannot contain an empty string value"));
}

}  // namespace dynalease::local::test
