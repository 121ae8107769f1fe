// Transactions and item locks on the same item respect one another.
// SPDX-License-Identifier: BSL-1.0
#include "bank.hpp"

#include <dynalease/dynamodb/expression.hpp>
#include <dynalease/item_lock.hpp>

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

item_lock lock_of_ann(node& of) {
    return {*of.session, bank::table_of(of), "ann"};
}

}  // namespace

TEST_CASE("a commit that meets an item lock is told so, and writes nothing; after the release it happens") {
    const auto tier = tiers();
    bank s;
    s.has("ann", 1);
    s.has("bob", 1);
    s.in_a(
        [](bank& in, transaction_tier how) -> asio::awaitable<void> {
            auto own = lock_of_ann(in.b);
            auto guard = co_await own.acquire();
            const auto book = bank::table_of(in.a);
            const auto all = bank::transactions_of(in.a);
            const run_options options{.tier = how};
            auto tx = all.begin(options);
            tx.update(book, "bob", add("balance", 1));
            tx.update(book, "ann", add("balance", 1));
            diagnostics why;
            auto [code] = co_await tx.commit(why, as_pair);
            CHECK(code == errc::locked);
            CHECK(why.key == "ann");
            CHECK(why.message.find("session " + in.b.session->id() + " has the item") != std::string::npos);
            CHECK(in.balance("bob") == 1);

            // The guard's own write is seen by the next attempt.
            const auto ten_more = add("balance", 10);
            co_await guard.update(ten_more);
            co_await guard.release();
            co_await all.run([&](auto& again) { return transfer(again, book, "ann", "bob", 5); }, options);
        },
        tier);
    CHECK(s.balance("ann") == 6);
    CHECK(s.balance("bob") == 6);
    CHECK_FALSE(s.is_marked("ann"));
}

TEST_CASE("a run that meets an item lock until its time is up is told of that lock, and in time") {
    const auto tier = tiers();
    for (const auto within : {50ms, 300ms, 1000ms, 4000ms}) {
        bank s;
        s.has("ann", 1);
        s.in_a(
            [](bank& in, transaction_tier how, std::chrono::milliseconds time) -> asio::awaitable<void> {
                auto own = lock_of_ann(in.b);
                const auto guard = co_await own.acquire();
                const auto book = bank::table_of(in.a);
                const run_options options{.within = time, .tier = how};
                const auto body = [&](transaction& tx) -> asio::awaitable<void> {
                    tx.update(book, "ann", add("balance", 1));
                    co_return;
                };
                const auto began = in.where.scheduler.now();
                error_code code;
                diagnostics why;
                try {
                    co_await bank::transactions_of(in.a).run(body, options);
                } catch (const error& refused) {
                    code = refused.code();
                    why = refused.diagnostics();
                }
                CAPTURE(time.count(), why.to_string());
                CHECK(code == errc::locked);
                CHECK(why.key == "ann");
                CHECK(why.message.find("session " + in.b.session->id() + " has the item") != std::string::npos);
                CHECK(in.where.scheduler.now() - began < time + 50ms);
            },
            tier, within);
    }
}

TEST_CASE("an item lock waits for a transaction that holds the item, and brings what is committed") {
    const bool decided = GENERATE(false, true);
    bank s;
    s.has("ann", 1);
    bank::stop_after(s.a, decided ? 3 : 2);
    running stuck(s.where, s.a, [](bank& in) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.a);
        const run_options options{.id = "t", .within = 60min, .tier = transaction_tier::inline_undo};
        auto tx = bank::transactions_of(in.a).begin(options);
        tx.update(book, "ann", add("balance", 1));
        co_await tx.commit();
    }(s));
    s.where.scheduler.run_for(1s);
    REQUIRE(s.is_marked("ann"));
    s.a.crash();
    run(s.where, s.b, [](bank& in, int expected) -> asio::awaitable<void> {
        auto lock = lock_of_ann(in.b);
        const item_acquire_options soon{.wait = 1s};
        auto [code, none] = co_await lock.acquire(soon, as_pair);
        CHECK(code == errc::wait_timeout);
        CHECK(in.is_marked("ann"));
        co_await bank::transactions_of(in.b).roll_back("t");
        auto guard = co_await lock.acquire();
        CHECK(find_integer(guard.item(), "balance") == expected);
        CHECK_FALSE(guard.item().contains("_TxId"));
        co_await guard.release();
    }(s, decided ? 2 : 1));
    CHECK(s.balance("ann") == (decided ? 2 : 1));
}

TEST_CASE(
    "a transaction reads the item of a guard that it requires, in one request, and happens while that is in force") {
    const auto tier = tiers();
    bank s;
    s.has("ann", 7);
    s.has("bob", 1);
    s.in_a(
        [](bank& in, transaction_tier how) -> asio::awaitable<void> {
            auto own = lock_of_ann(in.a);
            auto guard = co_await own.acquire();
            const auto book = bank::table_of(in.a);
            const auto all = bank::transactions_of(in.a);
            const run_options options{.tier = how};
            auto copy_ann = [&](transaction& tx) -> asio::awaitable<void> {
                const auto ann = co_await tx.get(book, "ann");
                tx.require(guard);
                tx.require(guard);
                tx.update(book, "bob", set("balance", ann->balance));
            };
            co_await all.run(copy_ann, options);
            CHECK(in.balance("bob") == 7);

            // The lock is gone behind its holder's back.
            in.where.apply(update_item_request{.table_name = "accounts",
                                               .key = {{"name", "ann"}},
                                               .update_expression = "REMOVE #w",
                                               .names = {{"#w", "_lockW"}}});
            auto again = all.begin(options);
            co_await again.get(book, "ann");
            again.require(guard);
            again.update(book, "bob", set("balance", 0));
            diagnostics why;
            auto [code] = co_await again.commit(why, as_pair);
            CHECK(code == errc::lock_lost);
            CHECK(why.key == "ann");
        },
        tier);
    CHECK(s.balance("bob") == 7);
    CHECK_FALSE(s.is_marked("bob"));
}

TEST_CASE("a transaction that writes the item of a guard that it requires is refused by that, and nothing is sent") {
    const auto tier = tiers();
    bank s;
    s.has("ann", 7);
    s.in_a(
        [](bank& in, transaction_tier how) -> asio::awaitable<void> {
            auto own = lock_of_ann(in.a);
            auto guard = co_await own.acquire();
            const auto book = bank::table_of(in.a);
            in.a.network->clear_log();
            const run_options options{.tier = how};
            auto tx = bank::transactions_of(in.a).begin(options);
            tx.require(guard);
            tx.update(book, "ann", add("balance", 1));
            diagnostics why;
            auto [code] = co_await tx.commit(why, as_pair);
            CHECK(code == errc::duplicate_item);
            CHECK(why.key == "ann");
            CHECK(in.requests(in.a) == 0);
            co_await guard.release();
        },
        tier);
    CHECK(s.balance("ann") == 7);
}

TEST_CASE("a body that requires an item's guard, and has met with conflicts, locks the other items alone") {
    bank s;
    s.has("ann", 7);
    s.has("bob", 1);
    s.in_a([](bank& in) -> asio::awaitable<void> {
        auto own = lock_of_ann(in.a);
        auto guard = co_await own.acquire();
        const auto book = bank::table_of(in.a);
        const run_options options{.tier = transaction_tier::locked_commit};
        int ran = 0;
        auto copy_ann = [&](transaction& tx) -> asio::awaitable<void> {
            const auto ann = co_await tx.get(book, "ann");
            auto bob = co_await tx.get(book, "bob");
            tx.require(guard);
            CHECK(in.is_marked("bob") == (++ran == 2));
            if (ran == 1) {
                in.where.apply(update_item_request{.table_name = "accounts",
                                                   .key = {{"name", "bob"}},
                                                   .update_expression = "SET #s = :s",
                                                   .names = {{"#s", "_stamp"}},
                                                   .values = {{":s", binary(12, std::byte{9})}}});
            }
            bob->balance += ann->balance;
            tx.put(book, *bob);
        };
        co_await bank::transactions_of(in.a).run(copy_ann, options);
        CHECK(ran == 2);
        co_await guard.release();
    });
    CHECK(s.balance("bob") == 8);
    CHECK_FALSE(s.is_marked("bob"));
}
