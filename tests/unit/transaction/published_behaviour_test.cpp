// What the published design of client-side transactions was tested for, by its own names, on every tier.
// SPDX-License-Identifier: BSL-1.0
#include "bank.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <catch2/catch.hpp>

#include <functional>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

using body_function = std::function<asio::awaitable<void>(transaction&, const accounts&)>;

/// Runs the body as one transaction of process a. @returns what its commit says
error_code committed(bank& s, transaction_tier tier, const body_function& body) {
    error_code out;
    s.in_a(
        [](bank& in, transaction_tier how, const body_function& does, error_code& into) -> asio::awaitable<void> {
            const auto book = bank::table_of(in.a);
            const run_options options{.tier = how};
            auto tx = bank::transactions_of(in.a).begin(options);
            auto work = does(tx, book);
            co_await std::move(work);
            auto [code] = co_await tx.commit(as_pair);
            into = code;
        },
        tier, body, out);
    return out;
}

struct seen_balances {
    std::optional<int> uncommitted, committed, latest, versioned;
};

/// What another process reads of an account.
seen_balances read_by_b(bank& s, std::string name) {
    seen_balances out;
    run(s.where, s.b, [](bank& in, std::string of, seen_balances& into) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.b);
        const auto all = bank::transactions_of(in.b);
        const auto balance = [](const std::optional<account>& found) {
            return found ? std::optional(found->balance) : std::nullopt;
        };
        const auto raw = co_await all.read(book, of, isolation::uncommitted);
        into.uncommitted = balance(raw);
        const auto before = co_await all.read(book, of, isolation::committed);
        into.committed = balance(before);
        const auto now = co_await all.read(book, of);
        into.latest = balance(now);
        const auto loaded = co_await book.load(of);
        if (loaded) into.versioned = loaded->value.balance;
    }(s, std::move(name), out));
    return out;
}

/// A transaction by inline undo of process a that stops after so many writes, and does not end.
std::unique_ptr<running> stopped(bank& s, std::size_t writes, const body_function& body) {
    bank::stop_after(s.a, writes);
    auto stuck = std::make_unique<running>(s.where, s.a, [](bank& in, body_function does) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.a);
        const run_options options{.id = "t", .within = 60min, .tier = transaction_tier::inline_undo};
        auto tx = bank::transactions_of(in.a).begin(options);
        auto work = does(tx, book);
        co_await std::move(work);
        auto [code] = co_await tx.commit(as_pair);
        CHECK(code == errc::conflict);
    }(s, body));
    s.where.scheduler.run_for(1s);
    REQUIRE_FALSE(stuck->done());
    return stuck;
}

asio::awaitable<void> insert_bob(transaction& tx, const accounts& book) {
    tx.insert(book, worth("bob", 7));
    co_return;
}
asio::awaitable<void> overwrite_ann(transaction& tx, const accounts& book) {
    tx.put(book, worth("ann", 7));
    co_return;
}
asio::awaitable<void> erase_ann(transaction& tx, const accounts& book) {
    tx.erase(book, "ann");
    co_return;
}

}  // namespace

// ---- basic -------------------------------------------------------------------------------------------------

TEST_CASE("published: a new item is there after the commit, and never was without it") {
    const auto tier = tiers();
    bank s;
    CHECK_FALSE(committed(s, tier, insert_bob));
    CHECK(s.balance("bob") == 7);
    s.in_a([](bank& in) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.a);
        auto tx = bank::transactions_of(in.a).begin();
        tx.insert(book, worth("cat", 1));
        co_return;
    });
    CHECK(s.stored("cat").empty());
}

TEST_CASE("published: an empty transaction commits, without a request") {
    const auto tier = tiers();
    bank s;
    CHECK_FALSE(committed(s, tier, [](transaction&, const accounts&) -> asio::awaitable<void> { co_return; }));
    CHECK(s.requests(s.a) == 0);
}

TEST_CASE("published: binary and document attributes come back as they were, committed or undone") {
    const auto tier = tiers();
    const bool fails = GENERATE(false, true);
    bank s;
    const binary bytes{std::byte{0}, std::byte{255}, std::byte{7}};
    const item whole{{"name", "ann"},
                     {"bytes", bytes},
                     {"document", attribute_map{{"list", attribute_list{1, "two", false}}, {"flag", true}}},
                     {"words", string_set{"a", "b"}}};
    s.where.apply(put_item_request{.table_name = "accounts", .new_item = whole});
    s.in_a(
        [](bank& in, transaction_tier how, bool breaks, const item& expected) -> asio::awaitable<void> {
            const versioned_items rows(database(in.a.network), {.table = "accounts", .key = "name"});
            const run_options options{.tier = how};
            auto tx = bank::transactions_of(in.a).begin(options);
            auto ann = co_await tx.get(rows, "ann");
            CHECK(*ann == expected);
            ann->insert_or_assign("document", attribute_map{{"list", attribute_list{2}}});
            ann->erase("bytes");
            tx.put(rows, *ann);
            if (breaks) tx.update(rows, "nobody", set("x", 1));
            auto [code] = co_await tx.commit(as_pair);
            CHECK(code == (breaks ? error_code(errc::missing) : error_code()));
        },
        tier, fails, whole);
    auto left = s.stored("ann");
    CHECK_FALSE(left.contains("_TxId"));
    CHECK(left.contains("bytes") == fails);
    CHECK((left.at("document") == whole.at("document")) == fails);
    CHECK(left.at("words") == whole.at("words"));
}

TEST_CASE("published: too much data is refused, and a smaller request of the same transaction succeeds") {
    const auto tier = tiers();
    bank s;
    s.has("ann", 1);
    const auto end = committed(s, tier, [](transaction& tx, const accounts& book) -> asio::awaitable<void> {
        try {
            tx.put(book, account{"ann", 2, std::string(410'000, 'x')});
            FAIL("it was taken");
        } catch (const error& why) {
            CHECK(why.code() == errc::item_too_large);
        }
        tx.put(book, account{"ann", 3, std::string(1'000, 'x')});
        co_return;
    });
    CHECK_FALSE(end);
    CHECK(s.balance("ann") == 3);
}

TEST_CASE("published: what the service calls invalid leaves nothing locked") {
    const auto tier = tiers();
    bank s;
    s.has("ann", 1);
    s.has("bob", 1);
    const auto end = committed(s, tier, [](transaction& tx, const accounts& book) -> asio::awaitable<void> {
        tx.update(book, "ann", add("balance", 1));
        tx.update(book, "bob", add("name_of_text", 1) + set("balance", operand(path("nowhere")) + 1));
        co_return;
    });
    CHECK(end);
    CHECK(end != errc::in_doubt);
    CHECK(s.balance("ann") == 1);
    CHECK_FALSE(s.is_marked("ann"));
    CHECK_FALSE(s.is_marked("bob"));
}

// ---- locks and images --------------------------------------------------------------------------------------

TEST_CASE("published: an image is kept of what is written and was there, and of nothing else") {
    bank s;
    s.has("ann", 1);
    s.has("cat", 1);
    const auto stuck = stopped(s, 3, [](transaction& tx, const accounts& book) -> asio::awaitable<void> {
        co_await tx.get(book, "cat");
        tx.update(book, "ann", add("balance", 1));
        tx.insert(book, worth("bob", 7));
    });
    CHECK(s.stored("ann").contains("_TxB:balance"));
    CHECK_FALSE(s.stored("ann").contains("_TxB:note"));
    CHECK(s.is_marked("bob"));
    CHECK_FALSE(s.stored("bob").contains("_TxB:balance"));
    CHECK_FALSE(s.is_marked("cat"));
    s.a.crash();
}

TEST_CASE("published: what is read, and then put, is written whether it was there or not") {
    const auto tier = tiers();
    bank s;
    s.has("ann", 1);
    const auto end = committed(s, tier, [](transaction& tx, const accounts& book) -> asio::awaitable<void> {
        const auto there = co_await tx.get(book, "ann");
        const auto missing = co_await tx.get(book, "bob");
        CHECK(there);
        CHECK_FALSE(missing);
        tx.put(book, worth("ann", 2));
        tx.put(book, worth("bob", 3));
    });
    CHECK_FALSE(end);
    CHECK(s.balance("ann") == 2);
    CHECK(s.balance("bob") == 3);
}

// ---- reads -------------------------------------------------------------------------------------------------

TEST_CASE("published: an uncommitted insert, update or erasure is seen by nobody who reads what is committed") {
    bank s;
    s.has("ann", 1);
    {
        const auto stuck = stopped(s, 2, insert_bob);
        const auto seen = read_by_b(s, "bob");
        CHECK(seen.uncommitted == 7);
        CHECK_FALSE(seen.committed);
        CHECK_FALSE(seen.latest);
        CHECK_FALSE(seen.versioned);
        s.a.crash();
    }
}

TEST_CASE("published: an uncommitted overwriting shows what was there") {
    bank s;
    s.has("ann", 1);
    const auto stuck = stopped(s, 2, overwrite_ann);
    const auto seen = read_by_b(s, "ann");
    CHECK(seen.uncommitted == 7);
    CHECK(seen.committed == 1);
    CHECK(seen.latest == 1);
    CHECK(seen.versioned == 1);
    s.a.crash();
}

TEST_CASE("published: an uncommitted erasure shows what was there") {
    bank s;
    s.has("ann", 1);
    const auto stuck = stopped(s, 2, erase_ann);
    const auto seen = read_by_b(s, "ann");
    CHECK(seen.uncommitted == 1);
    CHECK(seen.committed == 1);
    CHECK(seen.latest == 1);
    CHECK(seen.versioned == 1);
    s.a.crash();
}

TEST_CASE("published: what is committed and not unlocked yet is the latest") {
    const int what = GENERATE(0, 1, 2);
    bank s;
    s.has("ann", 1);
    const body_function bodies[] = {insert_bob, overwrite_ann, erase_ann};
    const auto stuck = stopped(s, 3, bodies[what]);
    const auto seen = read_by_b(s, what == 0 ? "bob" : "ann");
    if (what == 2)
        CHECK_FALSE(seen.latest);
    else
        CHECK(seen.latest == 7);
    s.a.crash();
}

// ---- contention --------------------------------------------------------------------------------------------

TEST_CASE("published: a transaction that another one rolled back writes nothing more, and is told so") {
    const auto writes = GENERATE(1U, 2U, 3U);
    bank s;
    s.has("ann", 1);
    s.has("bob", 1);
    const auto stuck = stopped(s, writes, [](transaction& tx, const accounts& book) -> asio::awaitable<void> {
        tx.update(book, "ann", add("balance", 10));
        tx.update(book, "bob", add("balance", 10));
        co_return;
    });
    run(s.where, s.b, [](bank& in) -> asio::awaitable<void> {
        const auto ended = co_await bank::transactions_of(in.b).roll_back("t");
        CHECK(ended == transaction_state::rolled_back);
    }(s));
    // The network lets everything through again, late.
    s.a.network->set_plan({});
    s.where.scheduler.run_for(1min);
    CHECK(s.balance("ann") == 1);
    CHECK(s.balance("bob") == 1);
    CHECK_FALSE(s.is_marked("ann"));
    CHECK_FALSE(s.is_marked("bob"));
    s.a.crash();
}

TEST_CASE("published: rolling back and carrying on twice changes nothing") {
    bank s;
    s.has("ann", 1);
    const auto stuck = stopped(s, 2, overwrite_ann);
    s.a.crash();
    run(s.where, s.b, [](bank& in) -> asio::awaitable<void> {
        const auto all = bank::transactions_of(in.b);
        for (int i = 0; i < 2; ++i) {
            const auto back = co_await all.roll_back("t");
            CHECK(back == transaction_state::rolled_back);
            const auto on = co_await all.resume("t");
            CHECK(on == transaction_state::rolled_back);
        }
    }(s));
    CHECK(s.balance("ann") == 1);
}

TEST_CASE("published: a save from a stale version meets its conflict after a transaction") {
    const auto tier = tiers();
    bank s;
    s.in_a(
        [](bank& in, transaction_tier how) -> asio::awaitable<void> {
            const auto book = bank::table_of(in.a);
            const auto fresh = worth("ann", 1);
            const auto loaded = co_await book.create(fresh);
            const run_options options{.tier = how};
            auto tx = bank::transactions_of(in.a).begin(options);
            tx.update(book, "ann", add("balance", 1));
            co_await tx.commit();
            auto [saved, at] = co_await book.save(loaded, as_pair);
            CHECK(saved == errc::conflict);
            CHECK(at.found == 2);
            auto [removed, what] = co_await book.remove(loaded, as_pair);
            CHECK(removed == errc::conflict);
        },
        tier);
    CHECK(s.balance("ann") == 2);
}
