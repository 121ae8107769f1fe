// Transactions that depend on more than they write, on the embedded engine.
// SPDX-License-Identifier: BSL-1.0
#include "engine_stage.hpp"

#include "transaction/protocol/joint_requests.hpp"
#include "transaction/protocol/stored_writes.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

namespace dynalease::protocol::test {

namespace {

using phase = coordinator::phase;
using verdict = coordinator::verdict;

item account(const std::string& id, int balance) {
    return {{"id", id}, {"balance", balance}};
}

planned_item paying(const std::string& id, int amount) {
    return updating(plain_accounts(), id, set("balance", attr("balance") - amount));
}

planned_check reading(engine_stage& stage, const std::string& id) {
    return {.on = plain_accounts(),
            .key = {{"id", id}},
            .seen = sight_of(plain_accounts(), stage.find(id)).value(),
            .fence = {}};
}

planned_check guarded() {
    condition_check fence{.table_name = accounts, .key = {{"id", "guard"}}, .condition_expression = {}};
    apply(fence, attr("holder") == "me");
    return {.on = {}, .key = {}, .seen = {}, .fence = std::move(fence)};
}

coordinator checked(std::vector<planned_item> items, std::vector<planned_check> checks, std::string id = "4711") {
    return {
        table, {.name = {std::move(id), "run"}, .born = 1, .items = std::move(items), .checks = std::move(checks)}, {}};
}

}  // namespace

TEST_CASE("checks ride in the commit, and cost no round trip") {
    engine_stage stage;
    for (const auto* id : {"ann", "bob"}) stage.put(account(id, 10));
    auto transaction = checked({paying("ann", 3)}, {reading(stage, "bob"), reading(stage, "nobody")});
    const auto seen = stage.run(transaction);
    CHECK(transaction.decided() == verdict::committed);
    CHECK(seen.writes == 5);
    CHECK(seen.reads == 0);
    CHECK(seen.rounds_to_verdict == 3);
    CHECK(stage.header("4711")->checks.empty());
}

TEST_CASE("a transaction of which a check fails at its commit is rolled back, and says which") {
    engine_stage stage;
    for (const auto* id : {"ann", "bob"}) stage.put(account(id, 10));
    stage.put({{"id", "guard"}, {"holder", "me"}});
    auto transaction = checked({paying("ann", 3)}, {reading(stage, "bob"), reading(stage, "nobody"), guarded()});
    stage.run(transaction, phase::committing);
    errc expected = errc::conflict;
    std::string at_fault;
    SECTION("an item has changed") {
        auto other = coordinated({paying("bob", 1)}, {"other", "run"});
        stage.run(other);
        at_fault = "bob";
    }
    SECTION("an item has come") {
        stage.put(account("nobody", 1));
        at_fault = "nobody";
    }
    SECTION("a guard was lost") {
        stage.put({{"id", "guard"}, {"holder", "other"}});
        expected = errc::lock_lost;
        at_fault = "guard";
    }
    SECTION("the service says that a check is malformed") {
        static_cast<void>(transaction.next(0));
        failure refused(errc::transaction_canceled);
        refused.reasons = {
            {"None", "", {}}, {"None", "", {}}, {"ValidationError", "no such thing", {}}, {"None", "", {}}};
        transaction.answer(0, read_answer(refused));
        expected = errc::validation;
        at_fault = "nobody";
    }
    stage.run(transaction);
    CHECK(transaction.decided() == verdict::rolled_back);
    CHECK(transaction.why().code == make_error_code(expected));
    CHECK(transaction.why().details.table == accounts);
    CHECK(transaction.why().details.key == at_fault);
    CHECK(stage.find("ann") == account("ann", 10));
    CHECK(stage.header("4711")->done);
}

TEST_CASE("what is demanded of an item is so at the commit, or the transaction is rolled back and says why") {
    engine_stage stage;
    for (const auto* id : {"ann", "bob"}) stage.put(account(id, 10));
    const auto demanding = [](const std::string& id, condition_expression demand) {
        return planned_check{.on = plain_accounts(), .key = {{"id", id}}, .demand = std::move(demand)};
    };
    auto transaction = checked({paying("ann", 3)}, {demanding("bob", attr("balance") >= 10)});
    stage.run(transaction, phase::committing);
    auto decided = verdict::committed;
    errc why{};
    SECTION("it is so") {}
    SECTION("it is so again") {
        auto other = coordinated({paying("bob", -1)}, {"other", "run"});
        stage.run(other);
    }
    SECTION("it is not so") {
        auto other = coordinated({paying("bob", 1)}, {"other", "run"});
        stage.run(other);
        decided = verdict::rolled_back;
        why = errc::condition_failed;
    }
    SECTION("there is no item") {
        stage.erase("bob");
        decided = verdict::rolled_back;
        why = errc::missing;
    }
    stage.run(transaction);
    CHECK(transaction.decided() == decided);
    CHECK(find_integer(*stage.find("ann"), "balance") == (decided == verdict::committed ? 7 : 10));
    if (decided == verdict::rolled_back) {
        CHECK(transaction.why().code == make_error_code(why));
        CHECK(transaction.why().details.key == "bob");
    }
}

TEST_CASE("a check of an item under a lock passes: reads go past locks") {
    engine_stage stage;
    stage.put(account("ann", 10));
    stage.put({{"id", "bob"}, {"_lockW", "s.1.1"}});
    auto transaction = checked({paying("ann", 3)}, {reading(stage, "bob")});
    stage.run(transaction);
    CHECK(transaction.decided() == verdict::committed);
}

TEST_CASE("a check meets another transaction's mark, and what it hides counts") {
    engine_stage stage;
    for (const auto* id : {"ann", "bob"}) stage.put(account(id, 10));
    auto transaction = checked({paying("ann", 3)}, {reading(stage, "bob")});
    stage.run(transaction, phase::committing);
    const bool commits = GENERATE(false, true);
    coordinator rival(table, {.name = {"rival", "run"}, .born = 2, .items = {paying("bob", 1)}}, {});
    stage.run(rival, commits ? phase::closing : phase::committing);
    stage.run(transaction);
    CHECK(transaction.decided() == (commits ? verdict::rolled_back : verdict::committed));
    if (commits) CHECK(transaction.why().code == errc::conflict);
    stage.run(rival);
    CHECK(rival.decided() == (commits ? verdict::committed : verdict::rolled_back));
    CHECK(!stage.find("bob")->contains("_TxId"));
    CHECK(!stage.find("ann")->contains("_TxId"));
}

TEST_CASE("a transaction that gives up on one who holds what it read says which item") {
    engine_stage stage;
    for (const auto* id : {"ann", "bob"}) stage.put(account(id, 10));
    coordinator transaction(
        table, {.name = {"4711", "run"}, .born = 1, .items = {paying("ann", 3)}, .checks = {reading(stage, "bob")}},
        {.policy = wait_policy::fail_fast});
    stage.run(transaction, phase::committing);
    coordinator rival(table, {.name = {"rival", "run"}, .born = 2, .items = {paying("bob", 1)}}, {});
    stage.run(rival, phase::committing);
    stage.run(transaction);
    CHECK(transaction.decided() == verdict::rolled_back);
    CHECK(transaction.why().code == errc::locked);
    CHECK(transaction.why().details.key == "bob");
    CHECK(stage.find("ann") == account("ann", 10));
}

TEST_CASE("more checks than one call takes are refused before anything is sent") {
    engine_stage stage;
    std::vector<planned_check> checks;
    for (int i = 0; i < 100; ++i) checks.push_back(reading(stage, "c" + std::to_string(i)));
    auto too_many = checked({paying("ann", 3)}, checks);
    CHECK(!too_many.next(0));
    CHECK(too_many.now() == phase::ended);
    CHECK(too_many.why().code == errc::too_many_items);
    checks.pop_back();
    stage.put(account("ann", 10));
    auto all = checked({paying("ann", 3)}, checks);
    stage.run(all);
    CHECK(all.decided() == verdict::committed);
}

TEST_CASE("a commit that is in the way of others is made again, and a copy of it is the same") {
    engine_stage stage;
    for (const auto* id : {"ann", "bob"}) stage.put(account(id, 10));
    auto transaction = checked({paying("ann", 3)}, {reading(stage, "bob")});
    stage.run(transaction, phase::committing);
    const auto token = [&] {
        return std::string(
            std::get<transact_write_items_request>(transaction.next(0).value().request).client_request_token);
    };
    const auto first = token();
    transaction.answer(0, {.kind = detail::answer::unanswered, .why = failure(errc::timeout, outcome::unknown)});
    CHECK(token() == first);
    failure conflict(errc::transaction_canceled);
    conflict.reasons = {{.code = "None", .message = "", .current = {}},
                        {.code = "TransactionConflict", .message = "", .current = {}}};
    transaction.answer(0, read_answer(conflict));
    CHECK(token() != first);
    transaction.answer(0, read_answer(conflict));
    stage.run(transaction);
    CHECK(transaction.decided() == verdict::committed);
}

TEST_CASE("another process carries on a transaction with its checks") {
    engine_stage stage;
    for (const auto* id : {"ann", "bob"}) stage.put(account(id, 10));
    auto first = checked({paying("ann", 3)}, {reading(stage, "bob"), reading(stage, "nobody")});
    stage.run(first, phase::committing);
    const bool changed = GENERATE(false, true);
    if (changed) stage.put(account("nobody", 1));
    auto second = taken_over(stage.header("4711").value());
    stage.run(second);
    CHECK(second.decided() == (changed ? verdict::rolled_back : verdict::committed));
    stage.run(first);
    CHECK(first.decided() == second.decided());
}

TEST_CASE("another process only rolls back what depends on a guard, and frees what was committed") {
    engine_stage stage;
    stage.put(account("ann", 10));
    stage.put({{"id", "guard"}, {"holder", "me"}});
    auto first = checked({paying("ann", 3)}, {guarded()});
    const bool commits = GENERATE(false, true);
    stage.run(first, commits ? phase::closing : phase::committing);
    CHECK(stage.header("4711")->fenced);
    auto second = taken_over(stage.header("4711").value());
    stage.run(second);
    CHECK(second.decided() == (commits ? verdict::committed : verdict::rolled_back));
    CHECK(!stage.find("ann")->contains("_TxId"));
    CHECK(find_integer(*stage.find("ann"), "balance") == (commits ? 7 : 10));
    stage.run(first);
    CHECK(first.decided() == second.decided());
}

TEST_CASE("checks come back from the row as they went, but for fences; damaged ones are refused") {
    const guarded_table on{.layout = {.table = "t", .key = "id", .version = "revision"}, .versioned = true};
    transaction_plan plan{.name = {"4711", "run"}, .born = 1, .items = {paying("ann", 1)}};
    plan.checks.push_back({.on = on, .key = {{"id", "x"}}, .seen = item_sight{.stamp = drawn_stamp(), .version = 4}});
    plan.checks.push_back({.on = on, .key = {{"id", "y"}}, .seen = item_sight{.absent = true}});
    plan.checks.push_back({.on = on, .key = {{"id", "z"}}, .demand = attr("state") == "open"});
    plan.checks.push_back({.on = on, .key = {{"id", "exists"}}, .demand = condition_expression()});
    plan.checks.push_back(guarded());
    const auto kept = stored(plan);
    CHECK(kept.fenced);
    transaction_header header{.name = plan.name, .writes = kept.writes, .checks = kept.checks};
    const auto back = plan_in(header).value();
    REQUIRE(back.checks.size() == 4);
    CHECK(back.checks[0].seen == plan.checks[0].seen);
    CHECK(back.checks[0].on.layout.version == "revision");
    CHECK(back.checks[1].seen == plan.checks[1].seen);
    CHECK(back.checks[1].key == plan.checks[1].key);
    CHECK(!back.checks[2].seen);
    CHECK(check_item(back.checks[2]).condition_expression == check_item(plan.checks[2]).condition_expression);
    CHECK(check_item(back.checks[3]).condition_expression == check_item(plan.checks[3]).condition_expression);
    header.checks[1].get_if<attribute_map>()->insert_or_assign("seen", "text");
    CHECK(plan_in(header).error().code == errc::corrupt_row);
}

}  // namespace dynalease::protocol::test
