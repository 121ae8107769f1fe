// Reading within a transaction: with tokens and diagnostics, and side by side.
// SPDX-License-Identifier: BSL-1.0
#include "bank.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;
using namespace std::chrono_literals;

namespace {

using seen_account = std::optional<account>;

asio::awaitable<void> read_in_every_way(bank& s) {
    const auto book = bank::table_of(s.a);
    auto tx = bank::transactions_of(s.a).begin();
    diagnostics why;
    why.message = "of something else";
    const auto ann = co_await tx.get(book, "ann", why);
    CHECK(ann->balance == 100);
    CHECK(why.to_string().empty());
    const auto known = co_await tx.get(book, "ann", as_pair);
    CHECK(std::get<1>(known)->balance == 100);
    const auto nobody = co_await tx.get(book, "nobody", why, as_pair);
    CHECK_FALSE(std::get<0>(nobody));
    CHECK_FALSE(std::get<1>(nobody));
    CHECK(s.requests(s.a, "GetItem") == 2);

    tx.put(book, worth("ann", 5));
    const auto written = co_await tx.get(book, "ann", as_pair);
    CHECK(std::get<1>(written)->balance == 5);
    tx.update(book, "bob", add("balance", 1));
    auto [blindly, none] = co_await tx.get(book, "bob", why, as_pair);
    CHECK(blindly == errc::updated_blindly);
    CHECK(why.operation == "transaction.get");
    CHECK(why.key == "bob");
    CHECK(why.table == "accounts");
    auto [strange, no_account] = co_await tx.get(book, "eve", why, as_pair);
    CHECK(strange == errc::bad_attribute);
    CHECK(why.key == "eve");
    auto [unfit, no_key] = co_await tx.get(book, 17, why, as_pair);
    CHECK(unfit == errc::bad_attribute);
    CHECK(why.message.starts_with("the key attribute"));

    co_await tx.commit();
    auto [over, nothing] = co_await tx.get(book, "ann", why, as_pair);
    CHECK(over == errc::transaction_over);
    CHECK(why.key == "ann");
    error_code thrown;
    try {
        co_await tx.get(book, "ann", why);
    } catch (const error& refused) {
        thrown = refused.code();
    }
    CHECK(thrown == errc::transaction_over);
}

/// The first read of an item is answered after the second, though it saw the item before.
testing::fault_plan first_read_comes_late() {
    auto reads = std::make_shared<int>(0);
    return [reads](const any_request& request, const call_options&) {
        testing::fault fate{.before = 1ms, .after = 1ms};
        if (std::holds_alternative<get_item_request>(request)) {
            if (++*reads == 1) fate.after = 50ms;
            if (*reads == 2) fate.before = 20ms;
        }
        return fate;
    };
}

}  // namespace

TEST_CASE("an item is read with a token and with diagnostics, as by every verb") {
    bank s;
    s.has("ann", 100);
    s.has("bob", 100);
    s.where.apply(put_item_request{.table_name = "accounts", .new_item = {{"name", "eve"}, {"balance", "much"}}});
    s.in_a([](bank& in) { return read_in_every_way(in); });
    CHECK(s.balance("ann") == 5);
    CHECK(s.balance("bob") == 101);
}

TEST_CASE("of two reads of an item side by side the later is refused if they saw it at two moments") {
    for (const bool late : {false, true}) {
        bank s;
        s.has("ann", 100);
        if (late) s.a.network->set_plan(first_read_comes_late());
        const auto book = bank::table_of(s.a);
        auto tx = bank::transactions_of(s.a).begin();
        seen_account first;
        seen_account second;
        error_code refused;
        diagnostics why;
        tx.get(book, "ann", why, [&](error_code code, seen_account found) {
            refused = code;
            first = std::move(found);
        });
        tx.get(book, "ann", [&](error_code, seen_account found) { second = std::move(found); });
        s.where.scheduler.run_for(10ms);
        if (late) s.has("ann", 7);
        s.where.scheduler.run_for(100ms);
        REQUIRE(second);
        CHECK(second->balance == (late ? 7 : 100));
        CHECK(first.has_value() != late);
        CHECK(refused == (late ? make_error_code(errc::conflict) : error_code()));
        if (late) CHECK(why.key == "ann");
        if (late) CHECK(why.message.find("side by side with this one") != std::string::npos);
    }
}

TEST_CASE("a body that was refused the later of two reads side by side runs again") {
    bank s;
    s.has("ann", 100);
    const auto other = [](bank& in) -> asio::awaitable<void> {
        co_await sleep(in.b, 10ms);
        in.has("ann", 7);
    };
    running changing(s.where, s.b, other(s));
    s.in_a([](bank& in) -> asio::awaitable<void> {
        using namespace asio::experimental::awaitable_operators;
        const auto book = bank::table_of(in.a);
        const auto all = bank::transactions_of(in.a);
        in.a.network->set_plan(first_read_comes_late());
        int ran = 0;
        auto body = [&](transaction& tx) -> asio::awaitable<void> {
            ++ran;
            auto both = tx.get(book, "ann", asio::use_awaitable) && tx.get(book, "ann", asio::use_awaitable);
            const auto [first, second] = co_await std::move(both);
            CHECK(first->balance == 7);
            CHECK(second->balance == 7);
        };
        co_await all.run(body);
        CHECK(ran == 2);
    });
    changing.wait();
}
