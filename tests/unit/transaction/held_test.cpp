// Transactions that lock their items first, and change them by their commit.
// SPDX-License-Identifier: BSL-1.0
#include "engine_stage.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

namespace dynalease::protocol::test {

namespace {

using phase = coordinator::phase;

std::string name_of(std::size_t number) {
    return "item-" + std::to_string(number);
}

coordinator holder(std::vector<std::string> ids) {
    transaction_plan plan{.name = {"4711", "run"}, .born = 1, .items = {}, .holds = true};
    for (const auto& id : ids) plan.items.push_back(of_kind(versioned_accounts(), id, mark_kind::read));
    return {table, std::move(plan), rivalry{}};
}

transaction_plan wanting(std::vector<planned_item> items, std::vector<planned_check> checks = {}) {
    return {.name = {}, .items = std::move(items), .checks = std::move(checks)};
}

item worth(const std::string& id, int balance) {
    return {{"id", id}, {"balance", balance}, {"version", 3}, {"_stamp", bytes_of(drawn_stamp())}};
}

}  // namespace

TEST_CASE("N items that are locked first cost N + 2 requests, and are free when it is told") {
    const std::size_t count = GENERATE(1U, 2U, 99U);
    engine_stage stage;
    std::vector<std::string> ids;
    std::vector<planned_item> writes;
    for (std::size_t i = 0; i < count; ++i) {
        ids.push_back(name_of(i));
        stage.put(worth(ids.back(), 10));
        writes.push_back(updating(versioned_accounts(), ids.back(), add("balance", 1)));
    }
    auto run = holder(ids);
    const auto locked = stage.run(run, phase::holding);
    CHECK(locked.writes == count + 1);
    CHECK(locked.reads == 0);
    run.commit(wanting(std::move(writes)));
    const auto committed = stage.run(run);
    CHECK(committed.writes == 1);
    CHECK(committed.reads == 0);
    CHECK(run.decided() == run_verdict::committed);
    for (const auto& id : ids) {
        const auto now = *stage.find(id);
        CHECK(now.at("balance") == attribute_value(11));
        CHECK(now.at("version") == attribute_value(4));
        CHECK_FALSE(now.contains("_TxId"));
    }
    CHECK(stage.header("4711")->done);
}

TEST_CASE("while items are held nothing that is not committed shows, even to those who look under no mark") {
    engine_stage stage;
    stage.put(worth("ann", 10));
    auto run = holder({"ann"});
    stage.run(run, phase::holding);
    CHECK(stage.find("ann")->at("balance") == attribute_value(10));
    CHECK(run.items().front().sight == committed_view(stage.find("ann")).value());
    run.commit(wanting({updating(versioned_accounts(), "ann", add("balance", 1))}));
    CHECK(stage.find("ann")->at("balance") == attribute_value(10));
    stage.run(run);
    CHECK(stage.find("ann")->at("balance") == attribute_value(11));
}

TEST_CASE("what is held and only read, or not looked at, is given back as it was") {
    engine_stage stage;
    const auto ann = worth("ann", 10);
    const auto bob = worth("bob", 20);
    for (const auto& each : {ann, bob, worth("carl", 30)}) stage.put(each);
    auto run = holder({"ann", "bob", "carl"});
    stage.run(run, phase::holding);
    run.commit(wanting({of_kind(versioned_accounts(), "carl", mark_kind::to_erase)},
                       {{.on = versioned_accounts(), .key = {{"id", "bob"}}, .demand = attr("balance") > 10}}));
    stage.run(run);
    CHECK(run.decided() == run_verdict::committed);
    CHECK(stage.find("ann") == ann);
    CHECK(stage.find("bob") == bob);
    CHECK_FALSE(stage.find("carl"));
}

TEST_CASE("what was not there when all else was locked, is made by the commit") {
    engine_stage stage;
    stage.put(worth("ann", 10));
    auto run = holder({"ann", "new"});
    stage.run(run, phase::holding);
    CHECK_FALSE(run.items().back().mark);
    run.commit(wanting({updating(versioned_accounts(), "ann", add("balance", -5)),
                        inserting(versioned_accounts(), {{"id", "new"}, {"balance", 5}})}));
    stage.run(run);
    CHECK(run.decided() == run_verdict::committed);
    CHECK(stage.find("new")->at("balance") == attribute_value(5));
}

TEST_CASE("a commit of what is held that is refused leaves all as it was") {
    engine_stage stage;
    const auto ann = worth("ann", 10);
    const auto bob = worth("bob", 20);
    stage.put(ann);
    stage.put(bob);
    auto run = holder({"ann", "bob"});
    stage.run(run, phase::holding);
    auto spending = updating(versioned_accounts(), "ann", add("balance", -5));
    auto expected = errc::condition_failed;
    SECTION("by a demand") {
        run.commit(wanting({spending, updating(versioned_accounts(), "bob", add("balance", 5), attr("balance") > 20)}));
    }
    SECTION("by a check") {
        run.commit(wanting({spending},
                           {{.on = versioned_accounts(), .key = {{"id", "bob"}}, .demand = attr("balance") > 20}}));
    }
    SECTION("by an insert over it") {
        run.commit(wanting({spending, inserting(versioned_accounts(), {{"id", "bob"}, {"balance", 5}})}));
        expected = errc::exists;
    }
    SECTION("by too many writes") {
        spending.writes.push_back(spending.writes.front());
        run.commit(wanting({spending}));
        expected = errc::too_many_items;
    }
    stage.run(run);
    CHECK(run.decided() == run_verdict::rolled_back);
    CHECK(run.why().code == expected);
    CHECK(stage.find("ann") == ann);
    CHECK(stage.find("bob") == bob);
}

TEST_CASE("what is held is rolled back by whoever goes first, and its commit is told a conflict") {
    engine_stage stage;
    const auto ann = worth("ann", 10);
    stage.put(ann);
    auto run = holder({"ann"});
    stage.run(run, phase::holding);
    auto other = coordinator::resumed(table, {.name = {"4711", "run"}, .items = {}}, {}, *stage.header("4711"));
    CHECK(other.now() == phase::rolling_back);
    stage.run(other);
    run.commit(wanting({updating(versioned_accounts(), "ann", add("balance", 1))}));
    stage.run(run);
    CHECK(run.decided() == run_verdict::rolled_back);
    CHECK(run.why().code == errc::conflict);
    CHECK(stage.find("ann") == ann);
}

TEST_CASE("who holds some and comes to want what another has, waits for nobody: a conflict, and all is given back") {
    engine_stage stage;
    const auto ann = worth("ann", 10);
    stage.put(ann);
    stage.put(worth("bob", 10));
    auto run = holder({"ann"});
    stage.run(run, phase::holding);
    transaction_plan theirs{.name = {"4712", "run"}, .born = 2, .items = {}, .holds = true};
    theirs.items.push_back(of_kind(versioned_accounts(), "bob", mark_kind::read));
    coordinator rival(table, std::move(theirs), rivalry{});
    stage.run(rival, phase::holding);
    run.commit(wanting({updating(versioned_accounts(), "ann", add("balance", 1)),
                        updating(versioned_accounts(), "bob", add("balance", 1))}));
    stage.run(run);
    CHECK(run.decided() == run_verdict::rolled_back);
    CHECK(run.why().code == errc::conflict);
    CHECK(run.why().details.key == "bob");
    CHECK(stage.find("ann") == ann);
    CHECK(rival.now() == phase::holding);
}

TEST_CASE("who gives up while a commit is under way is told what became of it: of one that is not applied, nothing") {
    const bool first = GENERATE(true, false);
    const bool lost = GENERATE(true, false);
    engine_stage stage;
    const auto ann = worth("ann", 10);
    stage.put(ann);
    auto run = first ? holder({"ann"})
                     : coordinated({updating(versioned_accounts(), "ann", add("balance", 1))}, {"4711", "run"});
    stage.run(run, first ? phase::holding : phase::committing);
    if (first) run.commit(wanting({updating(versioned_accounts(), "ann", add("balance", 1))}));
    auto commit = run.next(1'700'000'000).value();
    run.stop(errc::cancelled);
    CHECK(run.now() == phase::committing);
    SECTION("it is not applied") {
        const errand_answer slow{.kind = detail::answer::delayed, .why = failure(errc::throttled)};
        const errand_answer unheard{.kind = detail::answer::unanswered,
                                    .why = failure(errc::timeout, outcome::unknown)};
        run.answer(commit.slot, lost ? unheard : slow);
        stage.run(run);
        CHECK(run.decided() == run_verdict::rolled_back);
        CHECK(run.why().code == errc::cancelled);
        CHECK(stage.find("ann") == ann);
        // A copy that lands now does nothing.
        CHECK_FALSE(stage.execute(commit.request).has_value());
        CHECK(stage.find("ann") == ann);
    }
    SECTION("it is applied, whether its answer comes or not") {
        auto answer = read_answer(stage.execute(commit.request));
        if (lost) answer = {.kind = detail::answer::unanswered, .why = failure(errc::timeout, outcome::unknown)};
        run.answer(commit.slot, std::move(answer));
        stage.run(run);
        CHECK(run.decided() == run_verdict::committed);
        CHECK(stage.find("ann")->at("balance") == attribute_value(11));
    }
}

}  // namespace dynalease::protocol::test
