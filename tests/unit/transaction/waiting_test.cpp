// What it costs to wait for an item that goes from hand to hand.
// SPDX-License-Identifier: BSL-1.0
#include "engine_stage.hpp"

#include "transaction/protocol/native_call.hpp"
#include "transaction/protocol/resolver.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <catch2/catch.hpp>

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace dynalease::protocol::test {

using namespace std::chrono_literals;

namespace {

using nanoseconds = std::chrono::nanoseconds;

transaction_header born(std::int64_t when) {
    return {.name = {"other", "run"}, .born = when};
}

/// The pauses between so many looks at one holder.
std::vector<nanoseconds> pauses(const transaction_header& rival, const seniority& mine, unsigned before,
                                unsigned count) {
    std::vector<nanoseconds> all;
    for (unsigned i = 0; i < count; ++i) all.push_back(look_pause(rival, mine, i, before));
    return all;
}

/// Holds the item, and has begun at that time.
coordinator holder(engine_stage& stage, std::string id, std::int64_t when) {
    transaction_plan plan{.name = {std::move(id), "run"}, .born = when, .items = {}, .holds = true};
    plan.items.push_back(of_kind(versioned_accounts(), "ann", mark_kind::read));
    coordinator made(table, std::move(plan), rivalry{});
    stage.run(made, coordinator::phase::holding);
    return made;
}

void pays(engine_stage& stage, coordinator& holder) {
    holder.commit({.name = {}, .items = {updating(versioned_accounts(), "ann", add("balance", 1))}});
    stage.run(holder);
    REQUIRE(holder.decided() == run_verdict::committed);
}

/// Sends what it wants next. @returns the pause before that
template <class Machine>
nanoseconds step(engine_stage& stage, Machine& what) {
    auto wanted = what.next(1'700'000'000).value();
    what.answer(wanted.slot, read_answer(stage.execute(wanted.request)));
    return wanted.pause;
}

}  // namespace

TEST_CASE("who waits for one holder looks at it ever more seldom, whoever of them is older") {
    const std::vector<nanoseconds> usual{25ms, 50ms, 100ms, 200ms, 400ms, 500ms, 500ms};
    for (const std::int64_t when : {5'000, 990'000, 1'000'000, 1'000'400}) {
        CHECK(pauses(born(when), {1'000'000, "me"}, 0, 7) == usual);
    }
}

TEST_CASE("who has seen an item change hands looks as seldom as is right for those who are before it") {
    const seniority mine{1'000'000, "me"};
    // Half of the time between the births of both, where that is longer than for one holder alone.
    CHECK(pauses(born(999'400), mine, 6, 4) == std::vector<nanoseconds>{300ms, 300ms, 300ms, 300ms});
    CHECK(pauses(born(999'400), mine, 6, 6).back() == 500ms);
    // The next in line looks at once, and so does who should have gone first.
    CHECK(pauses(born(999'980), mine, 6, 2) == std::vector<nanoseconds>{25ms, 50ms});
    CHECK(pauses(born(1'000'001), mine, 6, 2) == std::vector<nanoseconds>{25ms, 50ms});
    // No longer than if it had looked at one of them all the time.
    CHECK(pauses(born(990'000), mine, 2, 2) == std::vector<nanoseconds>{100ms, 200ms});
    CHECK(look_pause(born(std::numeric_limits<std::int64_t>::min()), mine, 0, 9) == 500ms);
    CHECK(look_pause(born(std::numeric_limits<std::int64_t>::max()), mine, 0, 9) == 25ms);
}

TEST_CASE("an item that changes hands twice while one waits for it costs a call, and two looks for each holder") {
    engine_stage stage;
    stage.put({{"id", "ann"}, {"balance", 0}, {"version", 1}});
    auto first = holder(stage, "first", 1'000);
    native_call waiter(
        table,
        {.name = {"waiter", "run"}, .born = 2'000, .items = {updating(versioned_accounts(), "ann", add("balance", 1))}},
        {});
    std::vector<nanoseconds> asked;
    asked.push_back(step(stage, waiter));  // refused: it is held
    asked.push_back(step(stage, waiter));  // by whom
    pays(stage, first);
    auto second = holder(stage, "second", 1'200);
    asked.push_back(step(stage, waiter));  // the first one is done: nothing is to be taken off
    asked.push_back(step(stage, waiter));  // refused again
    asked.push_back(step(stage, waiter));
    pays(stage, second);
    asked.push_back(step(stage, waiter));
    asked.push_back(step(stage, waiter));
    CHECK(waiter.decided() == run_verdict::committed);
    // In a line by now: after one look at the first holder, twice as long at the second.
    CHECK(asked == std::vector<nanoseconds>{0ms, 0ms, 25ms, 0ms, 0ms, 50ms, 0ms});
    CHECK(stage.find("ann")->at("balance") == attribute_value(3));
}

TEST_CASE("a mark that its own run has not taken off when it ended is taken off by who waits for it") {
    engine_stage stage;
    stage.put({{"id", "ann"}, {"balance", 0}, {"version", 1}});
    auto left = holder(stage, "left", 1'000);
    const auto held = *stage.find("ann");
    native_call waiter(
        table,
        {.name = {"waiter", "run"}, .born = 2'000, .items = {updating(versioned_accounts(), "ann", add("balance", 1))}},
        {});
    step(stage, waiter);
    step(stage, waiter);
    left.stop(errc::cancelled);
    stage.run(left);
    stage.put(held);  // as a late copy of the lock does
    const auto seen = stage.run(waiter);
    CHECK(waiter.decided() == run_verdict::committed);
    // The row that is done; the call, refused by the very same mark; the row; the undo; the call.
    CHECK(seen.writes == 3);
    CHECK(seen.reads == 2);
    CHECK(stage.find("ann")->at("balance") == attribute_value(1));
}

}  // namespace dynalease::protocol::test
