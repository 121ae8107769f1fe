// Many inserts of one transaction: how many requests they take, and what is told where some are refused.
// SPDX-License-Identifier: BSL-1.0
#include "engine_stage.hpp"
#include "hashes.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <variant>
#include <vector>

namespace dynalease::protocol::test {

namespace {

using phase = coordinator::phase;
using verdict = coordinator::verdict;

item account(int number) {
    return {{"id", std::to_string(number)}, {"balance", 1}};
}

std::vector<planned_item> inserts(int count) {
    std::vector<planned_item> items;
    for (int i = 0; i < count; ++i) items.push_back(inserting(plain_accounts(), account(i)));
    return items;
}

bool stands(engine_stage& stage, int number) {
    const auto shown = stage.find(std::to_string(number));
    return shown && !mark_of(*shown).value();
}

}  // namespace

TEST_CASE("inserts are made by calls of up to 99, one after another") {
    const auto [count, calls] = GENERATE(
        Catch::Generators::table<int, unsigned>({{1, 1}, {2, 1}, {99, 1}, {100, 2}, {101, 2}, {250, 3}, {1000, 11}}));
    engine_stage stage;
    auto transaction = coordinated(inserts(count));
    const auto begun = stage.run(transaction, phase::locking);
    const auto locked = stage.run(transaction, phase::committing);
    CHECK(locked.writes == calls);
    CHECK(locked.rounds == calls);
    const auto ended = stage.run(transaction);
    CHECK(transaction.decided() == verdict::committed);
    CHECK(begun.writes + ended.writes == static_cast<unsigned>(count) + 3);
    CHECK(begun.reads + locked.reads + ended.reads == 0);
    for (int i = 0; i < count; ++i) CHECK(stands(stage, i));
}

TEST_CASE(
    "of inserts in one call, one that meets another's mark is sent again when that is gone, and so are the others") {
    engine_stage stage;
    coordinator rival(table, {.name = {"young", "run"}, .born = 2, .items = {inserting(plain_accounts(), account(3))}},
                      {});
    stage.run(rival, phase::committing);
    auto transaction = coordinated(inserts(100));
    stage.run(transaction);
    CHECK(transaction.decided() == verdict::committed);
    for (int i = 0; i < 100; ++i) CHECK(stands(stage, i));
    stage.run(rival);
    CHECK(rival.decided() == verdict::rolled_back);
}

TEST_CASE("of inserts in one call, the one that cannot be made is named, and none of them stays") {
    engine_stage stage;
    auto items = inserts(20);
    errc code{};
    SECTION("there is an item") {
        code = errc::exists;
        stage.put(account(7));
    }
    SECTION("there is no table") {
        code = errc::table_not_found;
        items[7].on.layout.table = "nowhere";
    }
    SECTION("its key is no key") {
        code = errc::validation;
        items[7].writes.front().whole.insert_or_assign("id", 7);
        items[7].key.insert_or_assign("id", 7);
    }
    auto transaction = coordinated(items);
    stage.run(transaction);
    CHECK(transaction.decided() == verdict::rolled_back);
    CHECK(transaction.why().code == make_error_code(code));
    CHECK(transaction.why().details.table == items[7].on.layout.table);
    CHECK(transaction.why().details.key == "7");
    for (int i = 0; i < 20; ++i) CHECK(stands(stage, i) == (i == 7 && code == errc::exists));
}

TEST_CASE("a call of inserts whose answer is lost is sent again as it was, and found to have been applied") {
    engine_stage stage;
    auto transaction = coordinated(inserts(5));
    stage.run(transaction, phase::locking);
    const auto first = transaction.next(0).value();
    REQUIRE(stage.execute(first.request).has_value());
    transaction.answer(
        first.slot, {.kind = dynalease::detail::answer::unanswered, .why = failure(errc::timeout, outcome::unknown)});
    const auto second = transaction.next(0).value();
    const auto token = [](const errand& each) {
        return std::get<transact_write_items_request>(each.request).client_request_token;
    };
    CHECK(hash_of(second.request) == hash_of(first.request));
    CHECK(token(second) == token(first));
    CHECK(!transaction.next(0));
    transaction.answer(second.slot, read_answer(stage.execute(second.request)));
    stage.run(transaction);
    CHECK(transaction.decided() == verdict::committed);
    for (int i = 0; i < 5; ++i) CHECK(stands(stage, i));
}

}  // namespace dynalease::protocol::test
