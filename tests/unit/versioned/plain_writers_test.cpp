// Programs that know nothing of the library, and take part as the page on migration tells them to.
// SPDX-License-Identifier: BSL-1.0
#include "book_shop.hpp"

#include <dynalease/item_lock.hpp>
#include <dynalease/transaction.hpp>

#include <catch2/catch.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

using namespace dynalease;
using namespace dynalease::tests;
using namespace std::chrono_literals;

namespace {

constexpr int times = 40;

/// As the page says. @returns whether it was done
bool adds_as_told(shop& s) {
    update_item_request plain{.table_name = in_books().table, .key = {{"isbn", isbn}}};
    plain.update_expression = "SET pages = pages + :one, version = if_not_exists(version, :zero) + :one";
    plain.condition_expression =
        "attribute_not_exists(#lockW) AND attribute_not_exists(#lockR) AND "
        "attribute_not_exists(#tx) AND attribute_not_exists(#gone)";
    plain.names = {{"#lockW", "_lockW"}, {"#lockR", "_lockR"}, {"#tx", "_TxId"}, {"#gone", "_gone"}};
    plain.values = {{":zero", 0}, {":one", 1}};
    return s.where.simulated.call(std::move(plain)).has_value();
}

/// Adds one, by some way of the library.
using adding = std::function<asio::awaitable<void>(node&)>;

asio::awaitable<void> by_update(node& in) {
    const versioned<book> books{database(in.network), in_books()};
    const auto more = [](book seen) {
        ++seen.pages;
        return seen;
    };
    co_await books.update(isbn, more);
}

asio::awaitable<void> by_transaction(node& in) {
    const versioned<book> books{database(in.network), in_books()};
    const transactions all{database(in.network)};
    const auto body = [&](transaction& tx) -> asio::awaitable<void> {
        auto seen = co_await tx.get(books, isbn);
        ++seen->pages;
        tx.put(books, *seen);
    };
    co_await all.run(body);
}

asio::awaitable<void> under_a_lock(node& in) {
    const versioned<book> books{database(in.network), in_books()};
    const item_lock mine{*in.session, books, isbn};
    auto guard = co_await mine.acquire();
    auto seen = co_await books.load(isbn);
    co_await guard.update(set("pages", seen->value.pages + 1));
    co_await guard.release();
}

asio::awaitable<void> add_often(node& in, adding one) {
    for (int i = 0; i < times; ++i) {
        co_await one(in);
        co_await sleep(in, 7ms);
    }
}

}  // namespace

TEST_CASE("who raises the version, and writes nothing that is held, loses no change and passes over none") {
    const auto [name, way] = GENERATE(from_range(std::vector<std::pair<std::string, adding>>{
        {"update", by_update}, {"transaction", by_transaction}, {"item lock", under_a_lock}}));
    INFO(name);
    shop s;
    s.put({{"isbn", isbn}, {"title", "old"}, {"pages", 0}});
    s.a.network->set_plan(
        [](const any_request&, const call_options&) -> testing::fault { return {.before = 3ms, .after = 3ms}; });
    running ours(s.where, s.a, add_often(s.a, way));
    int theirs = 0;
    int refused = 0;
    while (!ours.done()) {
        adds_as_told(s) ? ++theirs : ++refused;
        s.where.scheduler.run_for(23ms);
    }
    ours.wait();
    CHECK(find_integer(s.stored(), "pages") == times + theirs);
    CHECK(theirs > times / 2);
    if (name == "item lock") CHECK(refused > 0);
}
