// Who gets through where many want the same.
// SPDX-License-Identifier: BSL-1.0
#include "bank.hpp"

#include <catch2/catch.hpp>

#include <memory>
#include <vector>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

const run_options locked{.tier = transaction_tier::locked_commit};

/// Another process changes the account.
asio::awaitable<void> interfere(bank& in, const std::string& name) {
    const auto book = bank::table_of(in.b);
    const auto all = bank::transactions_of(in.b);
    auto pay = [&](transaction& tx) -> asio::awaitable<void> {
        tx.update(book, name, add("balance", 1));
        co_return;
    };
    co_await all.run(pay);
}

}  // namespace

TEST_CASE("a body that has met with a conflict runs again under locks, and then nobody interferes") {
    bank s;
    s.has("ann", 100);
    s.has("bob", 20);
    int runs = 0;
    s.in_a(
        [](bank& in, int& ran) -> asio::awaitable<void> {
            const auto book = bank::table_of(in.a);
            const auto all = bank::transactions_of(in.a);
            auto body = [&](transaction& tx) -> asio::awaitable<void> {
                if (++ran == 2) {
                    in.a.network->clear_log();
                    CHECK(in.is_marked("ann"));
                    CHECK(in.is_marked("bob"));
                }
                co_await transfer(tx, book, "ann", "bob", 30);
                if (ran == 1) co_await interfere(in, "ann");
                // What is held shows as it was.
                if (ran == 2) CHECK(in.balance("ann") == 101);
            };
            co_await all.run(body, locked);
        },
        runs);
    CHECK(runs == 2);
    CHECK(s.requests(s.a) == 1);
    CHECK(s.balance("ann") == 71);
    CHECK(s.balance("bob") == 50);
    CHECK_FALSE(s.is_marked("ann"));
    CHECK_FALSE(s.is_marked("bob"));
}

TEST_CASE("what a body holds that throws is given back") {
    bank s;
    s.has("ann", 100);
    s.has("bob", 20);
    s.in_a([](bank& in) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.a);
        const auto all = bank::transactions_of(in.a);
        int ran = 0;
        auto body = [&](transaction& tx) -> asio::awaitable<void> {
            co_await transfer(tx, book, "ann", "bob", 30);
            if (++ran == 2) throw insufficient_funds{};
            co_await interfere(in, "ann");
        };
        const bool refused = co_await lacks_funds(all.run(body, locked));
        CHECK(refused);
    });
    s.where.scheduler.run_for(1s);
    CHECK_FALSE(s.is_marked("ann"));
    CHECK_FALSE(s.is_marked("bob"));
    CHECK(s.balance("ann") == 101);
}

TEST_CASE("a body that throws for what it read after others had rolled its locks back, runs again") {
    bank s;
    s.has("ann", 100);
    s.has("bob", 20);
    s.in_a([](bank& in) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.a);
        const auto all = bank::transactions_of(in.a);
        int ran = 0;
        auto audit = [&](transaction& tx) -> asio::awaitable<void> {
            ++ran;
            const auto ann = co_await tx.get(book, "ann");
            if (ran == 2) {
                const std::string mine(tx.id());
                co_await bank::transactions_of(in.b).roll_back(mine);
            }
            if (ran <= 2) co_await transfer_elsewhere(in, 1, {});
            const auto bob = co_await tx.get(book, "bob");
            if (ran == 1) co_return;
            if (ann->balance + bob->balance != 120) throw insufficient_funds{};
        };
        co_await all.run(audit, locked);
        CHECK(ran == 3);
    });
    CHECK(s.balance("ann") == 98);
}

TEST_CASE("a body that has thrown for what never was so together runs again under locks, too") {
    bank s;
    s.has("ann", 100);
    s.has("bob", 20);
    s.in_a([](bank& in) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.a);
        const auto all = bank::transactions_of(in.a);
        int ran = 0;
        auto audit = [&](transaction& tx) -> asio::awaitable<void> {
            const auto ann = co_await tx.get(book, "ann");
            if (++ran == 1) co_await transfer_elsewhere(in, 1, {});
            const auto bob = co_await tx.get(book, "bob");
            if (ann->balance + bob->balance != 120) throw insufficient_funds{};
            CHECK(in.is_marked("ann"));
            CHECK(in.is_marked("bob"));
        };
        co_await all.run(audit, locked);
        CHECK(ran == 2);
    });
}

TEST_CASE("what a body wants under locks that one call cannot change, is done without them") {
    bank s;
    s.has("ann", 100);
    s.has("bob", 20);
    s.in_a([](bank& in) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.a);
        const auto all = bank::transactions_of(in.a);
        int ran = 0;
        auto body = [&](transaction& tx) -> asio::awaitable<void> {
            co_await transfer(tx, book, "ann", "bob", 30);
            if (++ran > 5) tx.update(book, "bob", add("balance", 1));
            if (ran <= 5) co_await interfere(in, "ann");
        };
        co_await all.run(body);
        CHECK(ran == 7);
    });
    s.where.scheduler.run_for(1s);
    CHECK(s.balance("ann") == 75);
    CHECK(s.balance("bob") == 51);
    CHECK_FALSE(s.is_marked("ann"));
}

TEST_CASE("an attempt in vain costs what one that succeeds does, and under locks two requests and one for each item") {
    const auto tier = GENERATE(transaction_tier::native, transaction_tier::locked_commit);
    bank s;
    s.has("ann", 100);
    s.has("bob", 20);
    s.in_a(
        [](bank& in, transaction_tier how) -> asio::awaitable<void> {
            const auto book = bank::table_of(in.a);
            const auto all = bank::transactions_of(in.a);
            int ran = 0;
            auto body = [&](transaction& tx) -> asio::awaitable<void> {
                co_await transfer(tx, book, "ann", "bob", 30);
                if (++ran == 1) co_await interfere(in, "ann");
            };
            const run_options options{.tier = how};
            co_await all.run(body, options);
        },
        tier);
    CHECK(s.requests(s.a) == (tier == transaction_tier::native ? 6 : 7));
    CHECK(s.balance("ann") == 71);
}

TEST_CASE(
    "an item that a dead one holds costs a look at its row every half second, and two writes after five seconds") {
    bank s;
    s.has("ann", 100);
    s.has("bob", 20);
    bank::stop_after(s.b, 3);
    const auto left = [](bank& in) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.b);
        const run_options options{.tier = transaction_tier::inline_undo};
        auto body = [&](transaction& tx) { return transfer(tx, book, "ann", "bob", 1); };
        co_await bank::transactions_of(in.b).run(body, options);
    };
    running stuck(s.where, s.b, left(s));
    s.where.scheduler.run_for(1s);
    s.b.crash();
    s.in_a([](bank& in) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.a);
        auto body = [&](transaction& tx) -> asio::awaitable<void> {
            tx.update(book, "ann", add("balance", 1));
            co_return;
        };
        co_await bank::transactions_of(in.a).run(body);
    });
    // In vain; 15 looks; rolled back, undone; and again.
    CHECK(s.requests(s.a) == 19);
    CHECK(s.requests(s.a, "GetItem") == 15);
    CHECK(s.balance("ann") == 101);
}

TEST_CASE("where all want one account, each of them gets through in the attempts that are usual") {
    bank s(1);
    s.has("ann", 0);
    constexpr std::size_t many = 24;
    constexpr int each_pays = 4;
    std::vector<std::unique_ptr<node>> nodes;
    std::vector<std::unique_ptr<running>> payers;
    const auto pay = [](const node& in, int& most) -> asio::awaitable<void> {
        const accounts book(database(in.network), {.table = "accounts", .key = "name"});
        const transactions all{database(in.network)};
        for (int i = 0; i < each_pays; ++i) {
            int runs = 0;
            auto body = [&](transaction& tx) -> asio::awaitable<void> {
                ++runs;
                auto ann = co_await tx.get(book, "ann");
                co_await sleep(in, 5ms);
                ++ann->balance;
                tx.put(book, *ann);
            };
            co_await all.run(body);
            most = std::max(most, runs);
        }
    };
    int most_runs = 0;
    for (std::size_t i = 0; i < many; ++i) {
        nodes.push_back(std::make_unique<node>(s.where, 10 + i));
        nodes.back()->network->set_plan(
            [](const any_request&, const call_options&) { return testing::fault{.before = 2ms, .after = 2ms}; });
        payers.push_back(std::make_unique<running>(s.where, *nodes.back(), pay(*nodes.back(), most_runs)));
    }
    for (auto& each : payers) each->wait(60s);
    CHECK(s.balance("ann") == many * each_pays);
    CHECK(most_runs <= 8);
}
