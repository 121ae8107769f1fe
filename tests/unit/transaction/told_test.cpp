// What callers are told of a transaction that did not happen: of which item and write, and after how many attempts.
// SPDX-License-Identifier: BSL-1.0
#include "bank.hpp"

#include <dynalease/dynamodb/expression.hpp>
#include <dynalease/lock.hpp>

#include <catch2/catch.hpp>

#include <functional>
#include <string>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

using body = std::function<void(transaction&, const accounts&)>;

struct told {
    error_code code{};
    diagnostics details{};

    bool says(const std::string& words) const { return details.message.find(words) != std::string::npos; }
};

told commit(bank& s, transaction_tier tier, const body& write) {
    told into;
    s.in_a(
        [](bank& in, transaction_tier how, const body& fill, told& out) -> asio::awaitable<void> {
            const auto book = bank::table_of(in.a);
            const run_options options{.tier = how};
            auto tx = bank::transactions_of(in.a).begin(options);
            fill(tx, book);
            auto [code] = co_await tx.commit(out.details, as_pair);
            out.code = code;
        },
        tier, write, into);
    return into;
}

}  // namespace

TEST_CASE("a transaction that is refused names the item, and what was wanted of it") {
    const auto tier = GENERATE(transaction_tier::automatic, transaction_tier::inline_undo);
    bank s;
    s.has("ann", 10);
    s.has("bob", 20);
    const auto about = [&](const char* name, const body& write) {
        auto end = commit(s, tier, write);
        CHECK(end.details.table == "accounts");
        CHECK(end.details.key == name);
        return end;
    };
    SECTION("an update whose condition is false") {
        const auto end = about("bob", [](transaction& tx, const accounts& book) {
            tx.update(book, "ann", add("balance", 1));
            tx.update(book, "bob", add("balance", -30), attr("balance") >= 30);
        });
        CHECK(end.code == errc::condition_failed);
        CHECK(end.says("the item to update"));
    }
    SECTION("a check") {
        const auto end = about("bob", [](transaction& tx, const accounts& book) {
            tx.update(book, "ann", add("balance", 1));
            tx.check(book, "bob", attr("balance") >= 30);
        });
        CHECK(end.code == errc::condition_failed);
        CHECK(end.says("a check"));
    }
    SECTION("a check of what is not there") {
        const auto end = about("carl", [](transaction& tx, const accounts& book) {
            tx.update(book, "ann", add("balance", 1));
            tx.check(book, "carl");
        });
        CHECK(end.code == errc::missing);
        CHECK(end.says("to check"));
    }
    SECTION("an erasure") {
        const auto end = about("carl", [](transaction& tx, const accounts& book) {
            tx.update(book, "ann", add("balance", 1));
            tx.erase(book, "carl");
        });
        CHECK(end.code == errc::missing);
        CHECK(end.says("to erase"));
    }
    SECTION("an insert") {
        const auto end = about("bob", [](transaction& tx, const accounts& book) {
            tx.update(book, "ann", add("balance", 1));
            tx.insert(book, account{.name = "bob", .balance = 1});
        });
        CHECK(end.code == errc::exists);
        CHECK(end.says("to insert"));
    }
    CHECK(s.balance("ann") == 10);
}

TEST_CASE("of several writes to one item the one that was refused is named") {
    bank s;
    s.has("ann", 10);
    const auto end = commit(s, transaction_tier::automatic, [](transaction& tx, const accounts& book) {
        tx.update(book, "ann", add("balance", -10));
        tx.update(book, "ann", set("note", "poor"), attr("balance") >= 10);
        tx.update(book, "ann", add("balance", 1));
    });
    CHECK(end.code == errc::condition_failed);
    CHECK(end.details.key == "ann");
    CHECK(end.says("by write 2 of 3"));
}

TEST_CASE("a guard that is lost is named by its row") {
    bank s;
    s.has("ann", 10);
    s.in_a([](bank& in) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.a);
        lock mine{*in.a.session, "job"};
        auto guard = co_await mine.acquire();
        auto tx = bank::transactions_of(in.a).begin();
        tx.update(book, "ann", add("balance", 1));
        tx.require(guard);
        co_await guard.release();
        diagnostics details;
        auto [code] = co_await tx.commit(details, as_pair);
        CHECK(code == errc::lock_lost);
        CHECK(details.table == "coordination");
        CHECK(details.key.find("job") != std::string::npos);
        CHECK(details.message.find("guard") != std::string::npos);
        co_await in.a.session->close();
    });
}

TEST_CASE("attempts that are all in vain are told by their number and their time, and what the last one met") {
    bank s;
    s.has("ann", 10);
    s.in_a([](bank& in) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.a);
        int ran = 0;
        auto spoilt = [&](transaction& tx) -> asio::awaitable<void> {
            ++ran;
            auto ann = co_await tx.get(book, "ann");
            ++ann->balance;
            tx.put(book, *ann);
            in.has("ann", 100 + ran);
            in.where.apply(update_item_request{.table_name = "accounts",
                                               .key = {{"name", "ann"}},
                                               .update_expression = "SET #s = :s",
                                               .names = {{"#s", "_stamp"}},
                                               .values = {{":s", binary(12, static_cast<std::byte>(ran))}}});
        };
        const run_options options{.attempts = 3};
        try {
            co_await bank::transactions_of(in.a).run(spoilt, options);
            FAIL("it was committed");
        } catch (const error& why) {
            CHECK(why.code() == errc::conflict);
            CHECK(why.diagnostics().key == "ann");
            const std::string words = why.diagnostics().message;
            CHECK(words.starts_with("3 attempts in "));
            CHECK(words.find(" ms; the last: the item is no longer as the transaction saw it") != std::string::npos);
            CHECK(why.diagnostics().advice.starts_with("attempts, "));
        }
        CHECK(ran == 3);
    });
}

TEST_CASE("what others hold until the time for all attempts is over is told by the name of that time") {
    bank s;
    s.has("ann", 100);
    s.has("bob", 20);
    s.a_dies_after(3, order_id);
    run(s.where, s.b, [](bank& in) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.b);
        auto body = [&](transaction& tx) -> asio::awaitable<void> {
            tx.update(book, "ann", add("balance", 1));
            co_return;
        };
        const run_options options{.within = 300ms};
        try {
            co_await bank::transactions_of(in.b).run(body, options);
            FAIL("it was committed");
        } catch (const error& why) {
            CHECK(why.code() == errc::locked);
            CHECK(why.diagnostics().advice == "within, in its options, bounds the time of all attempts: 300 ms");
        }
    }(s));
}

TEST_CASE("an id is read before the first attempt alone, unless a row of it may not be done") {
    const auto tier = GENERATE(transaction_tier::native, transaction_tier::inline_undo);
    bank s;
    s.has("ann", 10);
    s.in_a(
        [](bank& in, transaction_tier how) -> asio::awaitable<void> {
            const auto book = bank::table_of(in.a);
            int ran = 0;
            auto spoilt = [&](transaction& tx) -> asio::awaitable<void> {
                auto ann = co_await tx.get(book, "ann");
                ++ann->balance;
                tx.put(book, *ann);
                if (++ran < 4) {
                    in.where.apply(update_item_request{.table_name = "accounts",
                                                       .key = {{"name", "ann"}},
                                                       .update_expression = "SET #s = :s",
                                                       .names = {{"#s", "_stamp"}},
                                                       .values = {{":s", binary(12, static_cast<std::byte>(ran))}}});
                }
            };
            const run_options options{.id = order_id, .tier = how};
            co_await bank::transactions_of(in.a).run(spoilt, options);
            CHECK(ran == 4);
        },
        tier);
    std::size_t looks = 0;
    for (const auto& entry : s.a.network->log()) {
        looks += entry->operation == "GetItem" && entry->key.find("tx#") != std::string::npos ? 1 : 0;
    }
    CHECK(looks == (tier == transaction_tier::native ? 1 : 4));
    CHECK(s.balance("ann") == 11);
}

TEST_CASE("a run of an id that another one is at work for names the row that tells of it") {
    bank s;
    s.has("ann", 100);
    s.has("bob", 20);
    s.a_dies_after(3, order_id);
    run(s.where, s.b, [](bank& in) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.b);
        const run_options options{.id = order_id};
        auto tx = bank::transactions_of(in.b).begin(options);
        tx.update(book, "carl", add("balance", 1));
        diagnostics details;
        auto [code] = co_await tx.commit(details, as_pair);
        CHECK(code == errc::conflict);
        CHECK(details.table == "coordination");
        CHECK(details.key.find("tx#order-4711") != std::string::npos);
    }(s));
}

TEST_CASE("a single attempt is not counted") {
    bank s;
    s.has("ann", 10);
    s.in_a([](bank& in) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.a);
        auto body = [&](transaction& tx) -> asio::awaitable<void> {
            tx.update(book, "bob", add("balance", 1));
            co_return;
        };
        try {
            co_await bank::transactions_of(in.a).run(body);
            FAIL("it was committed");
        } catch (const error& why) {
            CHECK(why.code() == errc::missing);
            CHECK(why.diagnostics().message.find("attempt") == std::string::npos);
        }
    });
}

TEST_CASE("a key that the table has in another shape is told as it was named") {
    bank s;
    s.in_a([](bank& in) -> asio::awaitable<void> {
        const accounts book{database(in.a.network), {.table = "accounts", .key = "id"}};
        const auto level = {isolation::latest, isolation::committed, isolation::uncommitted};
        const auto all = bank::transactions_of(in.a);
        const std::string named = "\"id\" (S)";
        for (const auto each : level) {
            diagnostics details;
            auto [code, none] = co_await all.read(book, "ann", each, details, as_pair);
            CHECK(code == errc::validation);
            CHECK(details.advice.find(named) != std::string::npos);
        }
        for (const auto tier : {transaction_tier::native, transaction_tier::inline_undo}) {
            auto tx = bank::transactions_of(in.a).begin(by(tier));
            tx.update(book, "ann", add("balance", 1));
            diagnostics details;
            auto [code] = co_await tx.commit(details, as_pair);
            CHECK(code == errc::validation);
            CHECK(details.advice.find(named) != std::string::npos);
        }
    });
}

TEST_CASE("a run that fails is told as a run, whatever of it did; and an option as that of the verb that has it") {
    bank s;
    s.has("ann", 1);
    s.in_a([](bank& in) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.a);
        const auto all = bank::transactions_of(in.a);
        std::string told;
        const auto refused = [&](transaction& tx) -> asio::awaitable<void> {
            tx.check(book, "ann", attr("balance") >= 30);
            co_return;
        };
        try {
            co_await all.run(refused, {.attempts = 1});
        } catch (const error& why) {
            told = why.diagnostics().operation;
        }
        CHECK(told == "transactions.run");
        try {
            const auto tx = all.begin({.within = -1s});
        } catch (const error& why) {
            told = why.diagnostics().operation;
        }
        CHECK(told == "transactions.begin");
    });
}

TEST_CASE("what is no value of the struct is told by the verb that read it") {
    bank s;
    s.where.apply(put_item_request{.table_name = "accounts", .new_item = {{"name", "ann"}, {"balance", "many"}}});
    s.in_a([](bank& in) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.a);
        const auto all = bank::transactions_of(in.a);
        auto tx = all.begin();
        const auto verb_of = [](auto read) -> asio::awaitable<std::string> {
            try {
                co_await read();
            } catch (const error& why) {
                CHECK(why.code() == errc::bad_attribute);
                CHECK(why.diagnostics().key == "ann");
                co_return why.diagnostics().operation;
            }
            co_return "";
        };
        const auto load = [&]() -> asio::awaitable<void> { co_await book.load("ann"); };
        const auto update = [&]() -> asio::awaitable<void> {
            co_await book.update("ann", [](account each) { return each; });
        };
        const auto get = [&]() -> asio::awaitable<void> { co_await tx.get(book, "ann"); };
        const auto read = [&]() -> asio::awaitable<void> { co_await all.read(book, "ann"); };
        auto verb = co_await verb_of(load);
        CHECK(verb == "versioned.load");
        verb = co_await verb_of(update);
        CHECK(verb == "versioned.update");
        verb = co_await verb_of(get);
        CHECK(verb == "transaction.get");
        verb = co_await verb_of(read);
        CHECK(verb == "transactions.read");
    });
}
