// Items that nobody can write, though nobody is at work on them.
// SPDX-License-Identifier: BSL-1.0
#include "bank.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

void dies_after(bank& s, std::size_t writes) {
    s.has("ann", 100);
    s.has("bob", 20);
    s.a_dies_after(writes, order_id);
}

struct freed {
    bool yields = false;
    error_code code{};
    diagnostics details{};
};

freed free_in_b(bank& s, std::string name) {
    freed out;
    run(s.where, s.b, [](bank& in, std::string which, freed& into) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.b);
        const auto all = bank::transactions_of(in.b);
        auto [code, was_marked] = co_await all.free(book, std::move(which), into.details, as_pair);
        into.code = code;
        into.yields = was_marked;
    }(s, std::move(name), out));
    return out;
}

}  // namespace

TEST_CASE("an item whose transaction has no row any more becomes what it was") {
    bank s(3);
    dies_after(s, 3);
    REQUIRE(s.is_marked("ann"));
    s.where.apply(delete_item_request{.table_name = "coordination", .key = {{"pk", "tx#order-4711"}, {"sk", "-"}}});
    const auto end = free_in_b(s, "ann");
    CHECK_FALSE(end.code);
    CHECK(end.yields);
    CHECK(s.stored("ann") == item{{"name", "ann"}, {"balance", 100}});
    CHECK(s.is_marked("bob"));
    CHECK(s.requests(s.b) == 3);
    CHECK_FALSE(free_in_b(s, "ann").yields);
    CHECK_FALSE(free_in_b(s, "nobody").yields);
}

TEST_CASE("a coordination table that cannot be read is what is blamed, and not the item's table") {
    const bool is_there = GENERATE(false, true);
    bank s(3);
    dies_after(s, 3);
    if (is_there) s.where.apply(create_table_request{.table_name = "wrong", .key = {.hash = {.name = "id"}}});
    const auto expect = [&](std::string_view verb, error_code code, const diagnostics& why) {
        INFO(verb << ": " << why.message);
        CHECK(code == (is_there ? errc::validation : errc::table_not_found));
        CHECK(why.table == "wrong");
        if (is_there) CHECK(why.message.starts_with("the table has the key id (S), and a coordination table"));
        if (!is_there) CHECK(why.key == "tx#order-4711 / -");
    };
    run(s.where, s.b, [](bank& in, auto check) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.b);
        const auto all = bank::transactions_of(in.b, {.table = "wrong"});
        diagnostics why;
        auto [freed, was_marked] = co_await all.free(book, "ann", why, as_pair);
        check("free", freed, why);
        auto [read, seen] = co_await all.read(book, "ann", isolation::latest, why, as_pair);
        check("read", read, why);
        auto tx = all.begin();
        auto [got, value] = co_await tx.get(book, "ann", why, as_pair);
        check("get", got, why);
        tx.put(book, worth("ann", 1));
        auto [committed] = co_await tx.commit(why, as_pair);
        check("commit", committed, why);
    }(s, expect));
    CHECK(s.is_marked("ann"));
}

TEST_CASE("a key that is no UTF-8 is refused unsent by those who read beside transactions or free, too") {
    bank s;
    s.in_a([](bank& in) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.a);
        const auto all = bank::transactions_of(in.a);
        const std::string half = "x\xc3";
        diagnostics why;
        auto [read, seen] = co_await all.read(book, half, isolation::committed, why, as_pair);
        CHECK(read == errc::bad_attribute);
        CHECK(why.message.find("is no UTF-8") != std::string::npos);
        auto [freed, was_marked] = co_await all.free(book, half, why, as_pair);
        CHECK(freed == errc::bad_attribute);
        CHECK(why.message.find("is no UTF-8") != std::string::npos);
        CHECK(in.requests(in.a) == 0);
    });
}

TEST_CASE("who saves an item of a transaction that is gone is told how to free it, and can save it then") {
    bank s(3);
    dies_after(s, 3);
    s.where.apply(delete_item_request{.table_name = "coordination", .key = {{"pk", "tx#order-4711"}, {"sk", "-"}}});
    run(s.where, s.b, [](bank& in) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.b);
        const auto loaded = co_await book.load("ann");
        CHECK(loaded->value.balance == 100);
        auto richer = *loaded;
        ++richer.value.balance;
        diagnostics details;
        auto [code, saved] = co_await book.save(richer, details, as_pair);
        CHECK(code == errc::locked);
        CHECK(details.message.find("transaction order-4711") != std::string::npos);
        CHECK(details.advice.find("transactions::free") != std::string::npos);
        const auto was = co_await bank::transactions_of(in.b).free(book, "ann");
        CHECK(was);
        co_await book.save(richer);
    }(s));
    CHECK(s.balance("ann") == 101);
}

TEST_CASE("an item whose transaction has committed is completed") {
    bank s(3);
    dies_after(s, 4);
    CHECK(free_in_b(s, "ann").yields);
    CHECK_FALSE(s.is_marked("ann"));
    CHECK(s.balance("ann") == 70);
}

TEST_CASE("an item whose transaction is not decided is not freed, and the transaction is named") {
    bank s(3);
    dies_after(s, 3);
    const auto end = free_in_b(s, "ann");
    CHECK(end.code == errc::locked);
    CHECK(end.details.key == "ann");
    CHECK(end.details.message.find(order_id) != std::string::npos);
    CHECK(s.is_marked("ann"));
    CHECK(s.requests(s.b, "UpdateItem") == 0);
}

TEST_CASE("a mark that is not of this library is not touched") {
    bank s(3);
    const item foreign{{"name", "ann"}, {"balance", 100}, {"_TxId", "another library's"}};
    s.where.apply(put_item_request{.table_name = "accounts", .new_item = foreign});
    CHECK(free_in_b(s, "ann").code == errc::corrupt_row);
    CHECK(s.stored("ann") == foreign);
}

// ---- readers of pages --------------------------------------------------------------------------------------------

namespace {

template <class Request>
asio::awaitable<void> read_pages(bank& in, Request request, std::vector<item>& into) {
    committed_pages<Request> found{database(in.b.network), std::move(request)};
    for (;;) {
        auto page = co_await found.next();
        if (!page) break;
        for (auto& each : *page) into.push_back(std::move(each));
    }
    CHECK(found.at_end());
}

}  // namespace

TEST_CASE("pages of items show what is committed, whatever stands on them") {
    bank s(3);
    s.has("carl", 5);
    s.has("dora", 7);
    s.has("ann", 100);
    const auto body = [](bank& in) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.a);
        const run_options options{.tier = transaction_tier::inline_undo};
        auto tx = bank::transactions_of(in.a).begin(options);
        tx.update(book, "ann", add("balance", -30));
        tx.erase(book, "carl");
        const account fresh{.name = "eve", .balance = 30};
        tx.insert(book, fresh);
        co_await tx.commit();
    };
    bank::stop_after(s.a, 4);
    running stuck(s.where, s.a, body(s));
    const auto until = s.where.scheduler.now() + 2s;
    while (s.where.scheduler.now() < until && s.where.scheduler.step()) {
    }
    s.a.crash();
    REQUIRE(s.is_marked("ann"));
    REQUIRE(s.is_marked("carl"));
    REQUIRE(s.is_marked("eve"));
    std::vector<item> found;
    SECTION("by a scan, two at a time") {
        run(s.where, s.b, read_pages(s, scan_request{.table_name = "accounts", .limit = 2}, found));
        CHECK(found.size() == 3);
        CHECK(s.requests(s.b) == 3);
    }
    SECTION("by queries") {
        for (const auto* name : {"ann", "carl", "dora", "eve"}) {
            query_request request;
            request.table_name = "accounts";
            apply_key(request, attr("name") == name);
            run(s.where, s.b, read_pages(s, std::move(request), found));
        }
    }
    std::ranges::sort(found, {}, [](const item& each) { return *find_string(each, "name"); });
    CHECK(found == std::vector<item>{{{"name", "ann"}, {"balance", 100}},
                                     {{"name", "carl"}, {"balance", 5}},
                                     {{"name", "dora"}, {"balance", 7}}});
}

TEST_CASE("pages that leave out what an item was are refused") {
    bank s(3);
    const database from(s.b.network);
    CHECK_THROWS_AS(
        (committed_pages<scan_request>{from, {.table_name = "accounts", .projection_expression = "balance"}}), error);
    CHECK_THROWS_AS((committed_pages<scan_request>{from, {.table_name = "accounts", .select = selection::count}}),
                    error);
}
