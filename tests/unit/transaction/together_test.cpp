// Reading several items as they were at one moment.
// SPDX-License-Identifier: BSL-1.0
#include "bank.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <catch2/catch.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

struct read {
    std::vector<std::optional<account>> values{};
    error_code code{};
    diagnostics details{};

    std::vector<int> balances() const {
        std::vector<int> all;
        for (const auto& each : values) all.push_back(each ? each->balance : -1);
        return all;
    }
};

read together(bank& s, const std::vector<std::string>& names) {
    read out;
    run(s.where, s.b, [](bank& in, const std::vector<std::string>& of, read& into) -> asio::awaitable<void> {
        std::vector<key_values> keys;
        for (const auto& each : of) keys.push_back(each);
        const auto book = bank::table_of(in.b);
        const auto all = bank::transactions_of(in.b);
        auto [code, values] = co_await all.read_together(book, std::move(keys), into.details, as_pair);
        into.code = code;
        into.values = std::move(values);
    }(s, names, out));
    return out;
}

std::vector<std::string> crowd(bank& s, std::size_t size, std::size_t missing = 0) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < size; ++i) {
        names.push_back("a" + std::to_string(i));
        if (i >= missing) s.has(names.back(), static_cast<int>(i));
    }
    return names;
}

}  // namespace

TEST_CASE("up to a hundred items are read together by one call, whether they are there or not") {
    bank s;
    s.has("ann", 100);
    const auto seen = together(s, {"ann", "nobody", "ann"});
    CHECK_FALSE(seen.code);
    CHECK(seen.balances() == std::vector{100, -1, 100});
    CHECK(s.requests(s.b) == 1);
    CHECK(s.requests(s.b, "TransactGetItems") == 1);

    const auto none = together(s, {});
    CHECK_FALSE(none.code);
    CHECK(none.values.empty());
    CHECK(s.requests(s.b) == 1);

    const auto all = together(s, crowd(s, 100));
    CHECK_FALSE(all.code);
    CHECK(all.balances().back() == 99);
    CHECK(s.requests(s.b) == 2);
}

TEST_CASE("more than a hundred items are each read twice") {
    for (const auto& [size, requests] : {std::pair{101, 4}, {250, 6}}) {
        bank s;
        const auto names = crowd(s, static_cast<std::size_t>(size));
        const auto seen = together(s, names);
        CHECK_FALSE(seen.code);
        REQUIRE(seen.values.size() == names.size());
        CHECK(seen.balances().front() == 0);
        CHECK(seen.balances().back() == size - 1);
        CHECK(s.requests(s.b) == static_cast<std::size_t>(requests));
        CHECK(s.requests(s.b, "BatchGetItem") == static_cast<std::size_t>(requests));
    }
}

TEST_CASE("of more than a hundred items those that are missing are looked at in one call, up to a hundred") {
    bank s;
    const auto names = crowd(s, 150, 20);
    const auto seen = together(s, names);
    CHECK_FALSE(seen.code);
    CHECK(seen.balances()[19] == -1);
    CHECK(seen.balances()[20] == 20);
    CHECK(s.requests(s.b, "BatchGetItem") == 4);
    CHECK(s.requests(s.b, "TransactGetItems") == 1);

    bank empty;
    const auto refused = together(empty, crowd(empty, 101, 101));
    CHECK(refused.code == errc::too_many_items);
    CHECK(refused.details.operation == "transactions.read_together");
    const auto as_many = together(empty, crowd(empty, 101, 100));
    CHECK_FALSE(as_many.code);
}

TEST_CASE("what a transaction holds that is not decided, is read together as it was before") {
    bank s;
    s.has("ann", 100);
    s.has("bob", 20);
    s.a_dies_after(3, "order-4711");
    REQUIRE(s.is_marked("ann"));
    const auto seen = together(s, {"ann", "bob"});
    CHECK_FALSE(seen.code);
    CHECK(seen.balances() == std::vector{100, 20});
    // The items, and the row of the one who holds both.
    CHECK(s.requests(s.b) == 2);
    CHECK(s.is_marked("ann"));
}

TEST_CASE("what a transaction holds that has committed, is read together as it is after that, by one call more") {
    bank s;
    s.has("ann", 100);
    s.has("bob", 20);
    s.a_dies_after(4, "order-4711");
    REQUIRE(s.is_marked("ann"));
    const auto seen = together(s, {"ann", "bob"});
    CHECK_FALSE(seen.code);
    CHECK(seen.balances() == std::vector{70, 50});
    CHECK(s.requests(s.b) == 3);
}

TEST_CASE("what is marked under a row that is gone, is read together as it was before") {
    bank s;
    s.has("ann", 100);
    s.has("bob", 20);
    s.a_dies_after(3, "order-4711");
    s.where.apply(delete_item_request{.table_name = "coordination", .key = {{"pk", "tx#order-4711"}, {"sk", "-"}}});
    const auto seen = together(s, {"ann", "bob"});
    CHECK_FALSE(seen.code);
    CHECK(seen.balances() == std::vector{100, 20});
    CHECK(s.requests(s.b) == 3);
}

TEST_CASE("items of several tables and structs are read together") {
    bank s;
    s.has("ann", 100);
    s.where.apply(create_table_request{.table_name = "orders", .key = {.hash = {.name = "name"}}});
    s.where.apply(put_item_request{.table_name = "orders", .new_item = {{"name", "4711"}, {"balance", 5}}});
    run(s.where, s.b, [](bank& in) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.b);
        const versioned_items orders(database(in.b.network), {.table = "orders", .key = "name"});
        joint_reads both;
        const auto ann = both.add(book, "ann");
        const auto order = both.add(orders, "4711");
        const auto nothing = both.add(orders, "4712");
        const auto all = bank::transactions_of(in.b);
        const auto seen = co_await all.read_together(both);
        CHECK(seen.size() == 3);
        CHECK(seen.at(book, ann)->balance == 100);
        CHECK(find_integer(*seen.at(orders, order), "balance") == 5);
        CHECK_FALSE(seen.at(orders, nothing));
        auto [code, again] = co_await all.read_together(both, as_pair);
        CHECK_FALSE(code);
        CHECK(again.at(book, ann)->balance == 100);
        const std::vector<key_values> names{"ann", "bob"};
        const auto values = co_await all.read_together(book, names);
        CHECK(values.at(0)->balance == 100);
        CHECK_FALSE(values.at(1));
    }(s));
}

TEST_CASE("who finds no moment at which nobody is at work, is told so") {
    bank s;
    s.has("ann", 100);
    failure busy(errc::transaction_canceled);
    busy.reasons = {{"TransactionConflict", "", {}}, {"None", "", {}}};
    std::size_t calls = 0;
    s.b.network->set_plan([&calls, busy](const any_request& request, const call_options&) -> testing::fault {
        if (operation_name(request) != "TransactGetItems") return {};
        ++calls;
        return {.what = testing::fault::kind::fail, .answer = busy};
    });
    const auto seen = together(s, {"ann", "bob"});
    CHECK(seen.code == errc::transaction_conflict);
    CHECK(seen.code == condition::contended);
    CHECK(calls == 10);
    CHECK(seen.details.table == "accounts");
    CHECK(seen.details.key == "ann");
    CHECK(seen.details.attempts == 10);
}

TEST_CASE("who reads together from a table that is throttled is told so, with the table, the item and the attempts") {
    bank s;
    const auto names = GENERATE(std::size_t{2}, std::size_t{120});
    auto wanted = crowd(s, names);
    wanted.push_back("nobody");
    failure slow(errc::transaction_canceled);
    std::size_t calls = 0;
    s.b.network->set_plan([&calls, slow](const any_request& request, const call_options&) -> testing::fault {
        const auto* call = std::get_if<transact_get_items_request>(&request);
        if (!call) return {};
        ++calls;
        auto why = slow;
        why.reasons.assign(call->gets.size(), {"None", "", {}});
        why.reasons.front() = {"TransactionConflict", "", {}};
        why.reasons.back() = {"ThrottlingError", "", {}};
        return {.what = testing::fault::kind::fail, .answer = why};
    });
    const auto began = s.where.scheduler.now();
    const auto seen = together(s, wanted);
    CHECK(seen.code == errc::throttled);
    CHECK(seen.code == condition::throttled);
    CHECK(calls == 10);
    CHECK(seen.details.table == "accounts");
    CHECK(seen.details.key == "nobody");
    CHECK(seen.details.attempts == 10);
    // 50 ms doubling to 1 s.
    CHECK(s.where.scheduler.now() - began > 5s);
}

TEST_CASE("items that are too large for one call are each read twice") {
    bank s;
    s.has("ann", 100);
    failure too_large(errc::transaction_canceled);
    too_large.reasons = {{"ValidationError", "the items have more than 4 MB", {}}};
    s.b.network->set_plan([too_large](const any_request& request, const call_options&) -> testing::fault {
        const auto* call = std::get_if<transact_get_items_request>(&request);
        if (!call || call->gets.size() == 1) return {};
        return {.what = testing::fault::kind::fail, .answer = too_large};
    });
    const auto seen = together(s, {"ann", "bob"});
    CHECK_FALSE(seen.code);
    CHECK(seen.balances() == std::vector{100, -1});
    CHECK(s.requests(s.b, "BatchGetItem") == 2);
}

TEST_CASE("items that the service leaves unread are asked for again") {
    bank s;
    const auto names = crowd(s, 120);
    unsigned batches = 0;
    s.b.network->set_plan([&batches](const any_request& request, const call_options&) -> testing::fault {
        const bool partial = operation_name(request) == "BatchGetItem" && ++batches < 5;
        return {.what = partial ? testing::fault::kind::partial_batch : testing::fault::kind::pass};
    });
    const auto seen = together(s, names);
    CHECK_FALSE(seen.code);
    CHECK(seen.balances().back() == 119);
    CHECK(s.requests(s.b) > 4);
}

TEST_CASE("what cannot be read together is told by its name, and nothing is asked") {
    bank s;
    const auto wrong_key = together(s, {"ann", ""});
    CHECK(wrong_key.code == errc::bad_attribute);
    CHECK(s.requests(s.b) == 0);
    run(s.where, s.b, [](bank& in) -> asio::awaitable<void> {
        const accounts unstamped(database(in.b.network), {.table = "accounts", .key = "name", .stamps = false});
        const auto all = bank::transactions_of(in.b);
        const std::vector<key_values> names{"ann"};
        auto [code, values] = co_await all.read_together(unstamped, names, as_pair);
        CHECK(code == errc::invalid_option);
    }(s));
    CHECK(s.requests(s.b) == 0);
}

TEST_CASE("a damaged mark is told with its item") {
    bank s;
    s.where.apply(put_item_request{.table_name = "accounts", .new_item = {{"name", "ann"}, {"_TxId", 7}}});
    const auto seen = together(s, {"ann", "bob"});
    CHECK(seen.code == errc::corrupt_row);
    CHECK(seen.details.key == "ann");
}
