// Transactions that want the same items, and plain writers between.
// SPDX-License-Identifier: BSL-1.0
#include "bank.hpp"

#include <catch2/catch.hpp>

#include <memory>
#include <vector>

using namespace dynalease;
using namespace dynalease::tests;

TEST_CASE("a body runs again when what it has read was changed before its commit") {
    const auto tier = tiers();
    bank s;
    s.has("ann", 100);
    s.has("bob", 0);
    int runs = 0;
    s.in_a(
        [](bank& in, transaction_tier how, int& count) -> asio::awaitable<void> {
            const auto book = bank::table_of(in.a);
            const auto all = bank::transactions_of(in.a);
            const auto other = bank::table_of(in.b);
            auto body = [&](transaction& tx) -> asio::awaitable<void> {
                co_await transfer(tx, book, "ann", "bob", 10);
                const auto one_more = add("balance", 1);
                if (count++ < 3) co_await other.blind("ann", one_more);
            };
            co_await all.run(body, by(how));
        },
        tier, runs);
    CHECK(runs == 4);
    CHECK(s.balance("ann") == 93);
    CHECK(s.balance("bob") == 10);
}

TEST_CASE("what was only read is demanded too: no write skew") {
    const auto tier = tiers();
    bank s;
    s.has("ann", 50);
    s.has("bob", 50);
    // Each may take 80 as long as both together have that.
    const auto take = [](bank& in, node& of, std::string from, std::string other,
                         transaction_tier how) -> asio::awaitable<void> {
        const auto book = bank::table_of(of);
        auto tx = bank::transactions_of(of).begin(by(how));
        auto own = co_await tx.get(book, from);
        auto others = co_await tx.get(book, other);
        co_await sleep(in.a, 100ms);
        CHECK(own->balance + others->balance >= 80);
        own->balance -= 80;
        tx.put(book, *own);
        auto [code] = co_await tx.commit(as_pair);
        if (code) CHECK(code == errc::conflict);
    };
    running one(s.where, s.a, take(s, s.a, "ann", "bob", tier));
    running two(s.where, s.b, take(s, s.b, "bob", "ann", tier));
    one.wait();
    two.wait();
    CHECK(s.balance("ann") + s.balance("bob") >= 20);
    CHECK_FALSE(s.is_marked("ann"));
    CHECK_FALSE(s.is_marked("bob"));
}

TEST_CASE("an item that was read as missing is demanded to be missing") {
    const auto tier = tiers();
    bank s;
    s.has("ann", 50);
    s.in_a(
        [](bank& in, transaction_tier how) -> asio::awaitable<void> {
            const auto book = bank::table_of(in.a);
            auto tx = bank::transactions_of(in.a).begin(by(how));
            const auto none = co_await tx.get(book, "bob");
            CHECK_FALSE(none);
            auto ann = co_await tx.get(book, "ann");
            ann->balance = 0;
            tx.put(book, *ann);
            const auto late = worth("bob", 1);
            co_await bank::table_of(in.b).create(late);
            diagnostics why;
            auto [code] = co_await tx.commit(why, as_pair);
            CHECK(code == errc::conflict);
            CHECK(why.key == "bob");
            CHECK(why.table == "accounts");
        },
        tier);
    CHECK(s.balance("ann") == 50);
}

TEST_CASE("reads alone are one moment's, or a conflict") {
    bank s;
    s.has("ann", 50);
    s.has("bob", 50);
    s.in_a([](bank& in) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.a);
        auto tx = bank::transactions_of(in.a).begin();
        co_await tx.get(book, "ann");
        const auto one_more = add("balance", 1);
        co_await bank::table_of(in.b).blind("ann", one_more);
        co_await tx.get(book, "bob");
        auto [code] = co_await tx.commit(as_pair);
        CHECK(code == errc::conflict);
    });
}

TEST_CASE("one item that was read is current by itself: nothing is sent") {
    bank s;
    s.has("ann", 50);
    s.in_a([](bank& in) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.a);
        auto tx = bank::transactions_of(in.a).begin();
        co_await tx.get(book, "ann");
        co_await tx.commit();
    });
    CHECK(s.requests(s.a) == 1);
}

TEST_CASE("many who wait for one another do not lock each other out") {
    bank s(9);
    for (const auto* name : {"ann", "bob", "cat"}) s.has(name, 100);
    const auto mover = [](node& of, int seed) -> asio::awaitable<void> {
        const auto book = bank::table_of(of);
        const auto all = bank::transactions_of(of, {.policy = wait_policy::wait});
        const std::string names[] = {"ann", "bob", "cat"};
        const run_options options{.within = 5min, .tier = transaction_tier::inline_undo};
        // The one takes them in this order, the other in that.
        const auto& from = names[seed % 3];
        const auto& to = names[(seed + 1 + seed / 3 % 2) % 3];
        auto body = [&](transaction& tx) -> asio::awaitable<void> {
            tx.update(book, from, add("balance", -1));
            tx.update(book, to, add("balance", 1));
            co_return;
        };
        co_await all.run(body, options);
    };
    std::vector<std::unique_ptr<running>> movers;
    for (int i = 0; i < 12; ++i) {
        auto& of = i % 2 == 0 ? s.a : s.b;
        of.network->set_plan(
            [](const any_request&, const call_options&) -> testing::fault { return {.before = 2ms, .after = 2ms}; });
        movers.push_back(std::make_unique<running>(s.where, of, mover(of, i)));
    }
    for (auto& each : movers) each->wait();
    CHECK(s.balance("ann") + s.balance("bob") + s.balance("cat") == 300);
}

TEST_CASE("many who move money at once lose none") {
    const auto tier = tiers();
    bank s(7);
    for (const auto* name : {"ann", "bob", "cat"}) s.has(name, 100);
    const auto mover = [](node& of, int seed, transaction_tier how) -> asio::awaitable<void> {
        const auto book = bank::table_of(of);
        const auto all = bank::transactions_of(of);
        const std::string names[] = {"ann", "bob", "cat"};
        for (int i = 0; i < 10; ++i) {
            const auto& from = names[(seed + i) % 3];
            const auto& to = names[(seed + 2 * i + 1) % 3];
            if (from == to) continue;
            auto options = by(how);
            options.attempts = 100;
            options.within = 10min;
            co_await all.run([&](auto& tx) { return transfer(tx, book, from, to, 1); }, options);
        }
    };
    std::vector<std::unique_ptr<running>> movers;
    for (int i = 0; i < 8; ++i) {
        auto& of = i % 2 == 0 ? s.a : s.b;
        movers.push_back(std::make_unique<running>(s.where, of, mover(of, i, tier)));
    }
    for (auto& each : movers) each->wait();
    CHECK(s.balance("ann") + s.balance("bob") + s.balance("cat") == 300);
    for (const auto* name : {"ann", "bob", "cat"}) CHECK_FALSE(s.is_marked(name));
}
