// Times that the library sets: what a transaction makes and puts has them as what a versioned table writes.
// SPDX-License-Identifier: BSL-1.0
#include "bank.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <catch2/catch.hpp>

namespace ledger {

struct line {
    std::string name{};
    int balance = 0;
    std::chrono::sys_seconds made{};
    std::optional<std::chrono::sys_seconds> saved{};
};
BOOST_DESCRIBE_STRUCT(line, (), (name, balance, made, saved))

}  // namespace ledger

template <>
struct dynalease::member_traits<&ledger::line::made> : dynalease::creation_time {};
template <>
struct dynalease::member_traits<&ledger::line::saved> : dynalease::save_time {};

using namespace dynalease;
using namespace dynalease::tests;
using namespace std::chrono_literals;
using ledger::line;

namespace {

using lines = versioned<line>;

lines lines_of(node& in) {
    return {database(in.network), {.table = "accounts", .key = "name"}};
}

std::chrono::sys_seconds now(const node& in) {
    return std::chrono::floor<std::chrono::seconds>(in.environment.clock->wall());
}

/// One transaction that does this.
asio::awaitable<void> commit(bank& in, transaction_tier tier, std::function<void(transaction&, const lines&)> does) {
    auto tx = bank::transactions_of(in.a).begin(by(tier));
    const auto book = lines_of(in.a);
    does(tx, book);
    co_await tx.commit();
}

asio::awaitable<line> stored_line(bank& in) {
    auto found = co_await lines_of(in.a).load("ann");
    co_return found.value().value;
}

asio::awaitable<line> made_a_minute_ago(bank& in) {
    const line first{.name = "ann", .balance = 1};
    co_await lines_of(in.a).create(first);
    auto made = co_await stored_line(in);
    co_await sleep(in.a, 1min);
    co_return made;
}

}  // namespace

TEST_CASE(
    "what a transaction inserts, or puts where there was nothing, has the times of now, whatever the struct says") {
    const auto tier = tiers();
    const bool inserts = GENERATE(true, false);
    bank s;
    const auto body = [](bank& in, transaction_tier how, bool as_new) -> asio::awaitable<void> {
        co_await sleep(in.a, 1min);
        const auto began = now(in.a);
        co_await commit(in, how, [&](transaction& tx, const lines& book) {
            const line of_no_avail{.name = "ann", .balance = 1, .made = std::chrono::sys_seconds(7s)};
            as_new ? tx.insert(book, of_no_avail) : tx.put(book, of_no_avail);
        });
        const auto found = co_await stored_line(in);
        CHECK(found.made >= began);
        CHECK(found.made <= now(in.a));
        CHECK(found.saved == found.made);
    };
    s.in_a(body, tier, inserts);
}

TEST_CASE("a transaction's put keeps the time of creation and sets that of the save, if it changes something") {
    const auto tier = tiers();
    const int balance = GENERATE(1, 2);
    bank s;
    const auto body = [](bank& in, transaction_tier how, int now_has) -> asio::awaitable<void> {
        const auto before = co_await made_a_minute_ago(in);
        co_await commit(in, how, [&](transaction& tx, const lines& book) {
            const line second{.name = "ann", .balance = now_has};
            tx.put(book, second);
        });
        const auto found = co_await stored_line(in);
        CHECK(found.balance == now_has);
        CHECK(found.made == before.made);
        if (now_has == 1) CHECK(found.saved == before.saved);
        if (now_has == 2) CHECK(*found.saved >= *before.saved + 1min);
    };
    s.in_a(body, tier, balance);
}

TEST_CASE("what is made anew and put again was made now, and keeps nothing") {
    const auto tier = tiers();
    bank s;
    const auto body = [](bank& in, transaction_tier how) -> asio::awaitable<void> {
        const auto before = co_await made_a_minute_ago(in);
        co_await commit(in, how, [&](transaction& tx, const lines& book) {
            const line anew{.name = "ann", .balance = 3};
            const auto backdated = set("made", "1999-12-31T23:59:59Z");
            if (how == transaction_tier::inline_undo) tx.update(book, "ann", backdated);
            tx.erase(book, "ann");
            tx.put(book, anew);
            tx.put(book, anew);
        });
        const auto found = co_await stored_line(in);
        CHECK(found.made >= before.made + 1min);
        CHECK(found.saved == found.made);
    };
    s.in_a(body, tier);
}

TEST_CASE("what was put unread is read before its times are shown") {
    bank s;
    const auto body = [](bank& in) -> asio::awaitable<void> {
        const auto before = co_await made_a_minute_ago(in);
        const auto book = lines_of(in.a);
        auto tx = bank::transactions_of(in.a).begin();
        const line changed{.name = "ann", .balance = 2};
        tx.put(book, changed);
        const auto seen = co_await tx.get(book, "ann");
        CHECK(seen->made == before.made);
        CHECK(*seen->saved >= *before.saved + 1min);
        co_await tx.commit();
        const auto found = co_await stored_line(in);
        CHECK(found.made == seen->made);
        CHECK(found.saved == seen->saved);
    };
    s.in_a(body);
}

TEST_CASE("of two structs that put an item the one that knows its times sets them") {
    const auto tier = tiers();
    bank s;
    const auto body = [](bank& in, transaction_tier how) -> asio::awaitable<void> {
        const accounts others = bank::table_of(in.a);
        co_await commit(in, how, [&](transaction& tx, const lines& book) {
            const line made{.name = "ann", .balance = 1};
            tx.insert(book, made);
            tx.put(others, worth("ann", 2));
        });
        const auto before = co_await stored_line(in);
        CHECK(before.balance == 2);
        CHECK(before.made == now(in.a));
        CHECK(before.saved == before.made);
        co_await sleep(in.a, 1min);
        co_await commit(in, how, [&](transaction& tx, const lines& book) {
            const line changed{.name = "ann", .balance = 3};
            tx.put(book, changed);
            tx.put(others, worth("ann", 4));
        });
        const auto found = co_await stored_line(in);
        CHECK(found.balance == 4);
        CHECK(found.made == before.made);
        CHECK(*found.saved >= *before.saved + 1min);
    };
    s.in_a(body, tier);
}

TEST_CASE("times of what is erased in the same transaction are no times of what is made after it") {
    bank s;
    s.has("ann", 1);
    const auto body = [](bank& in) -> asio::awaitable<void> {
        const accounts others = bank::table_of(in.a);
        co_await commit(in, transaction_tier::inline_undo, [&](transaction& tx, const lines& book) {
            const line first{.name = "ann", .balance = 2};
            tx.put(book, first);
            tx.update(book, "ann", set("balance", 3));
            tx.erase(book, "ann");
            tx.put(others, worth("ann", 4));
        });
        const auto found = in.stored("ann");
        CHECK(find_integer(found, "balance") == 4);
        CHECK_FALSE(found.contains("made"));
        CHECK_FALSE(found.contains("saved"));
    };
    s.in_a(body);
}

TEST_CASE("a transaction sees the times of what it has put itself") {
    bank s;
    const auto body = [](bank& in) -> asio::awaitable<void> {
        const auto before = co_await made_a_minute_ago(in);
        const auto book = lines_of(in.a);
        auto tx = bank::transactions_of(in.a).begin();
        auto seen = co_await tx.get(book, "ann");
        tx.put(book, *seen);
        auto same = co_await tx.get(book, "ann");
        CHECK(same->saved == before.saved);
        seen->balance = 2;
        tx.put(book, *seen);
        auto changed = co_await tx.get(book, "ann");
        CHECK(changed->made == before.made);
        CHECK(*changed->saved >= *before.saved + 1min);
        co_await tx.commit();
        const auto found = co_await stored_line(in);
        CHECK(found.saved == changed->saved);
    };
    s.in_a(body);
}

TEST_CASE("what a transaction erases and makes anew was made now, and its blind update leaves the times") {
    const auto tier = tiers();
    bank s;
    const auto body = [](bank& in, transaction_tier how) -> asio::awaitable<void> {
        const auto before = co_await made_a_minute_ago(in);
        co_await commit(in, how, [](transaction& tx, const lines& book) { tx.update(book, "ann", add("balance", 5)); });
        const auto updated = co_await stored_line(in);
        CHECK(updated.balance == 6);
        CHECK(updated.saved == before.saved);
        co_await commit(in, how, [](transaction& tx, const lines& book) {
            const line anew{.name = "ann", .balance = 3};
            tx.erase(book, "ann");
            tx.insert(book, anew);
        });
        const auto found = co_await stored_line(in);
        CHECK(found.balance == 3);
        CHECK(found.made >= before.made + 1min);
        CHECK(found.saved == found.made);
    };
    s.in_a(body, tier);
}
