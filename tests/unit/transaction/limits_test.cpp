// What is too large for the service is told by its name, before anything is sent.
// SPDX-License-Identifier: BSL-1.0
#include "bank.hpp"
#include "engine_stage.hpp"

#include "transaction/protocol/native_call.hpp"
#include "transaction/protocol/plan_limits.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <catch2/catch.hpp>

#include <cstddef>
#include <string>
#include <vector>

using namespace dynalease;
using namespace dynalease::tests;
using protocol::test::plain_accounts;
using protocol::test::updating;

namespace {

/// Of so many attributes.
update_expression wide(int from, int to) {
    update_expression all;
    for (int i = from; i < to; ++i) all += set("a" + std::to_string(i), i);
    return all;
}

/// What the commit is told, and how many requests it took.
error_code end_of(bank& s, transaction& tx) {
    error_code end;
    s.in_a(
        [&end](bank&, transaction& open) -> asio::awaitable<void> {
            auto [code] = co_await open.commit(as_pair);
            end = code;
        },
        tx);
    return end;
}

}  // namespace

TEST_CASE("items of more than 4 MB together do not go in one call") {
    bank s;
    const int count = GENERATE(10, 12);
    for (int i = 0; i < count; ++i) {
        s.where.apply(put_item_request{
            .table_name = "accounts",
            .new_item = {
                {"name", "account-" + std::to_string(i)}, {"balance", 0}, {"note", std::string(390'000, 'x')}}});
    }
    s.in_a([count](bank& in) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.a);
        auto tx = bank::transactions_of(in.a).begin({});
        for (int i = 0; i < count; ++i) {
            auto each = co_await tx.get(book, "account-" + std::to_string(i));
            each->balance = 1;
            tx.put(book, *each);
        }
        in.a.network->clear_log();
        co_await tx.commit();
    });
    s.where.scheduler.run_for(1s);
    CHECK(s.requests(s.a, "TransactWriteItems") == (count == 10 ? 1 : 0));
    CHECK(s.requests(s.a) == static_cast<std::size_t>(count == 10 ? 1 : 2 * count + 3));
    for (int i = 0; i < count; ++i) CHECK(s.balance("account-" + std::to_string(i)) == 1);
}

TEST_CASE("inserts of more than 4 MB together do not go in one call") {
    protocol::transaction_plan plan{.name = {"4711", "run"}, .items = {}};
    for (int i = 0; i < 11; ++i) {
        item whole{{"id", std::to_string(i)}, {"note", std::string(380'000, 'x')}};
        plan.items.push_back(protocol::test::inserting(plain_accounts(), std::move(whole)));
    }
    CHECK(protocol::fits_native(plan));
    plan.items.push_back(updating(plain_accounts(), "ann", set("note", std::string(100'000, 'x'))));
    CHECK_FALSE(protocol::fits_native(plan));
}

TEST_CASE("more attributes than a lock can keep are refused before anything is sent") {
    const int count = GENERATE(75, 120);
    bank s;
    s.has("ann", 1);
    const auto book = bank::table_of(s.a);
    auto tx = bank::transactions_of(s.a).begin({.tier = transaction_tier::inline_undo});
    tx.update(book, "ann", wide(0, count));
    const auto end = end_of(s, tx);
    if (count == 75) {
        CHECK_FALSE(end);
        return;
    }
    CHECK(end == errc::too_many_members);
    CHECK(s.requests(s.a) == 0);
}

TEST_CASE("more attributes than one call changes are refused before it is sent, with the item's name") {
    const int count = GENERATE(250, 320);
    bank s;
    s.has("ann", 1);
    const auto book = bank::table_of(s.a);
    auto tx = bank::transactions_of(s.a).begin({});
    tx.update(book, "ann", wide(0, count));
    const auto end = end_of(s, tx);
    if (count == 250) {
        CHECK_FALSE(end);
        return;
    }
    CHECK(end == errc::too_many_members);
    CHECK(s.requests(s.a) == 0);
    protocol::transaction_plan plan{.name = {"4711", "run"}, .items = {}};
    plan.items.push_back(updating(plain_accounts(), "ann", wide(0, count)));
    protocol::native_call call("table", std::move(plan), {});
    CHECK_FALSE(call.next(0));
    CHECK(call.why().details.key == "ann");
}

TEST_CASE("more attributes than an undo can give back are refused, though each write by itself is small") {
    protocol::transaction_plan plan{.name = {"4711", "run"}, .items = {}};
    plan.items.push_back(updating(plain_accounts(), "ann", wide(0, 50)));
    auto& writes = plan.items.front().writes;
    writes.push_back({.change = wide(45, 95), .stamp = protocol::test::drawn_stamp()});
    writes.push_back({.change = wide(95, 145), .stamp = protocol::test::drawn_stamp()});
    CHECK_FALSE(protocol::fault_of_inline("table", plan));
    writes.push_back({.change = wide(145, 150), .stamp = protocol::test::drawn_stamp()});
    const auto why = protocol::fault_of_inline("table", plan);
    REQUIRE(why);
    CHECK(why->code == errc::too_many_members);
    CHECK(why->details.key == "ann");
}

TEST_CASE("writes to one item that no row could keep are refused before anything is sent") {
    bank s;
    s.has("ann", 1);
    const auto book = bank::table_of(s.a);
    const auto fits = GENERATE(true, false);
    auto tx = bank::transactions_of(s.a).begin({.tier = transaction_tier::inline_undo});
    for (int i = 0; i < 2; ++i) tx.update(book, "ann", set("note", std::string(fits ? 198'000 : 205'000, 'x')));
    const auto end = end_of(s, tx);
    if (fits) {
        CHECK_FALSE(end);
        return;
    }
    CHECK(end == errc::item_too_large);
    CHECK(s.requests(s.a) == 0);
}
