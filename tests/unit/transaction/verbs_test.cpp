// The verbs of a transaction's body: what each does, and what each refuses.
// SPDX-License-Identifier: BSL-1.0
#include "bank.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <catch2/catch.hpp>

#include <functional>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

struct told {
    error_code code{};
    diagnostics details{};
};

/// What the commit of a transaction says that does this.
told commit_of(bank& s, transaction_tier tier, const std::function<void(transaction&, const accounts&)>& writes) {
    told out;
    s.in_a(
        [](bank& in, transaction_tier how, const std::function<void(transaction&, const accounts&)>& does,
           told& into) -> asio::awaitable<void> {
            const auto book = bank::table_of(in.a);
            const run_options options{.tier = how};
            auto tx = bank::transactions_of(in.a).begin(options);
            does(tx, book);
            auto [code] = co_await tx.commit(into.details, as_pair);
            into.code = code;
        },
        tier, writes, out);
    return out;
}

template <class Call>
error_code thrown_by(Call call) {
    try {
        call();
    } catch (const error& why) {
        return why.code();
    }
    return {};
}

/// Refused for certain, and ann has what she had.
void check_refused(bank& s, const told& end) {
    CHECK(end.code);
    CHECK(end.code != errc::in_doubt);
    CHECK(s.balance("ann") == 1);
    CHECK_FALSE(s.is_marked("ann"));
}

}  // namespace

TEST_CASE("an update by an expression needs no read, and raises the version") {
    const auto tier = tiers();
    bank s;
    s.has("ann", 100);
    const auto end = commit_of(s, tier, [](transaction& tx, const accounts& book) {
        tx.update(book, "ann", add("balance", 5), attr("balance") >= 100);
    });
    CHECK_FALSE(end.code);
    CHECK(s.balance("ann") == 105);
    CHECK(find_integer(s.stored("ann"), "version") == 1);
    CHECK_FALSE(s.is_marked("ann"));
}

TEST_CASE("several updates of one item are done in their order, and raise the version once") {
    bank s;
    s.has("ann", 100);
    const auto end = commit_of(s, transaction_tier::automatic, [](transaction& tx, const accounts& book) {
        tx.update(book, "ann", add("balance", 5));
        tx.update(book, "ann", set("note", "five more"), attr("balance") == 105);
    });
    CHECK_FALSE(end.code);
    CHECK(s.balance("ann") == 105);
    CHECK(find_integer(s.stored("ann"), "version") == 1);
}

TEST_CASE("what is not as a write demands is told with the item's name, and nothing is written") {
    const auto tier = tiers();
    bank s;
    s.has("ann", 100);
    s.has("bob", 100);
    const auto spend = [](transaction& tx, const accounts& book) { tx.update(book, "bob", add("balance", -1)); };

    auto end = commit_of(s, tier, [&](transaction& tx, const accounts& book) {
        spend(tx, book);
        tx.update(book, "ann", add("balance", 5), attr("balance") > 100);
    });
    CHECK(end.code == errc::condition_failed);
    CHECK(end.details.key == "ann");
    end = commit_of(s, tier, [&](transaction& tx, const accounts& book) {
        spend(tx, book);
        tx.update(book, "nobody", add("balance", 5));
    });
    CHECK(end.code == errc::missing);
    CHECK(end.details.key == "nobody");
    end = commit_of(s, tier, [&](transaction& tx, const accounts& book) {
        spend(tx, book);
        tx.insert(book, worth("ann", 1));
    });
    CHECK(end.code == errc::exists);
    CHECK(end.details.key == "ann");
    end = commit_of(s, tier, [&](transaction& tx, const accounts& book) {
        spend(tx, book);
        tx.erase(book, "nobody");
    });
    CHECK(end.code == errc::missing);
    CHECK(s.balance("bob") == 100);
    CHECK_FALSE(s.is_marked("bob"));
}

TEST_CASE("what is checked is so at the commit, is not read, and is not written") {
    const auto tier = tiers();
    bank s;
    s.has("ann", 100);
    s.has("bob", 100);
    const auto rich = attr("balance") >= 100;
    const auto paid = [&](std::string checked, condition_expression condition) {
        return commit_of(s, tier, [&](transaction& tx, const accounts& book) {
            tx.check(book, checked, condition);
            tx.update(book, "bob", add("balance", 1));
        });
    };
    auto end = paid("ann", rich);
    CHECK_FALSE(end.code);
    CHECK(s.stored("ann") == item{{"name", "ann"}, {"balance", 100}});
    CHECK(s.requests(s.a, "GetItem") == 0);
    end = paid("ann", {});
    CHECK_FALSE(end.code);
    // Of an item that is written: what it was before.
    end = paid("bob", attr("balance") == 102);
    CHECK_FALSE(end.code);
    CHECK(s.balance("bob") == 103);

    end = paid("ann", !rich);
    CHECK(end.code == errc::condition_failed);
    CHECK(end.details.key == "ann");
    end = paid("nobody", {});
    CHECK(end.code == errc::missing);
    CHECK(end.details.key == "nobody");
    end = paid("bob", attr("balance") == 102);
    CHECK(end.code == errc::condition_failed);
    CHECK(end.details.key == "bob");
    CHECK(s.balance("bob") == 103);
    CHECK_FALSE(s.is_marked("bob"));
}

TEST_CASE("a check alone is a transaction, and one of what the transaction makes is refused") {
    const auto tier = tiers();
    bank s;
    s.has("ann", 100);
    auto end =
        commit_of(s, tier, [](transaction& tx, const accounts& book) { tx.check(book, "ann", attr("balance") < 0); });
    CHECK(end.code == errc::condition_failed);
    end = commit_of(s, tier, [](transaction& tx, const accounts& book) {
        tx.insert(book, worth("new", 1));
        CHECK(thrown_by([&] { tx.check(book, "new"); }) == errc::missing);
        tx.check(book, "newer");
        CHECK(thrown_by([&] { tx.insert(book, worth("newer", 1)); }) == errc::exists);
    });
    CHECK(end.code == errc::missing);
    CHECK(end.details.key == "newer");
    end = commit_of(s, tier, [](transaction& tx, const accounts& book) {
        tx.check(book, "new");
        tx.put(book, worth("new", 1));
    });
    CHECK(end.code == errc::missing);
    CHECK(s.stored("new").empty());
}

TEST_CASE("a put of what was not read keeps what its struct does not know") {
    const auto tier = tiers();
    bank s;
    s.where.apply(put_item_request{.table_name = "accounts",
                                   .new_item = {{"name", "ann"}, {"balance", 1}, {"colour", "red"}, {"note", "old"}}});
    const auto end = commit_of(s, tier, [](transaction& tx, const accounts& book) {
        tx.put(book, worth("ann", 7));
        tx.put(book, worth("new", 8));
    });
    CHECK_FALSE(end.code);
    CHECK(s.balance("ann") == 7);
    CHECK(find_string(s.stored("ann"), "colour") != nullptr);
    CHECK(find_string(s.stored("ann"), "note") == nullptr);
    CHECK(s.balance("new") == 8);
    CHECK(find_integer(s.stored("new"), "version") == 1);
}

TEST_CASE("what is erased and made anew keeps nothing of what it was") {
    const auto tier = tiers();
    bank s;
    s.where.apply(
        put_item_request{.table_name = "accounts", .new_item = {{"name", "ann"}, {"balance", 1}, {"colour", "red"}}});
    const auto end = commit_of(s, tier, [](transaction& tx, const accounts& book) {
        tx.erase(book, "ann");
        tx.insert(book, worth("ann", 7));
    });
    CHECK_FALSE(end.code);
    CHECK(s.balance("ann") == 7);
    CHECK(find_string(s.stored("ann"), "colour") == nullptr);
}

TEST_CASE("what is inserted and erased again was never there, and must not be") {
    bank s;
    s.has("ann", 1);
    auto end = commit_of(s, transaction_tier::automatic, [](transaction& tx, const accounts& book) {
        tx.insert(book, worth("bob", 7));
        tx.erase(book, "bob");
        tx.update(book, "ann", add("balance", 1));
    });
    CHECK_FALSE(end.code);
    CHECK(s.stored("bob").empty());
    s.has("bob", 1);
    end = commit_of(s, transaction_tier::automatic, [](transaction& tx, const accounts& book) {
        tx.insert(book, worth("bob", 7));
        tx.erase(book, "bob");
        tx.update(book, "ann", add("balance", 1));
    });
    CHECK(end.code == errc::exists);
    CHECK(s.balance("ann") == 2);
}

TEST_CASE("what is put and erased again is erased, whether it was there or not") {
    const auto tier = tiers();
    bank s;
    s.has("ann", 1);
    const auto end = commit_of(s, tier, [](transaction& tx, const accounts& book) {
        for (const auto* name : {"ann", "bob"}) {
            tx.put(book, worth(name, 7));
            tx.erase(book, name);
        }
    });
    CHECK_FALSE(end.code);
    CHECK(s.stored("ann").empty());
    CHECK(s.stored("bob").empty());
}

TEST_CASE("bad input is refused at the call that brings it, and nothing is sent") {
    bank s;
    const auto book = bank::table_of(s.a);
    const transactions all = bank::transactions_of(s.a);
    auto tx = all.begin();
    CHECK(thrown_by([&] { tx.update(book, "ann", set("_TxId", "x")); }) == errc::reserved_name);
    CHECK(thrown_by([&] { tx.update(book, "ann", set("_stamp", "x")); }) == errc::reserved_name);
    CHECK(thrown_by([&] { tx.update(book, "", set("balance", 1)); }) == errc::bad_attribute);
    const attribute_map image{{"_TxAbsent", true}};
    CHECK(thrown_by([&] { tx.update(book, "ann", set("note", image)); }) == errc::bad_attribute);
    CHECK(thrown_by([&] { tx.put(book, worth("", 1)); }) == errc::bad_attribute);
    CHECK(thrown_by([&] { tx.put(book, account{"big", 1, std::string(410'000, 'x')}); }) == errc::item_too_large);
    CHECK(thrown_by([&] { tx.erase(book, key_values("ann", "sort")); }) == errc::bad_attribute);
    const accounts tombs(database(s.a.network), {.table = "accounts", .key = "name", .removal = removal::tombstone});
    const accounts plain(database(s.a.network), {.table = "accounts", .key = "name", .stamps = false});
    CHECK(thrown_by([&] { tx.put(tombs, worth("ann", 1)); }) == errc::invalid_option);
    CHECK(thrown_by([&] { tx.put(plain, worth("ann", 1)); }) == errc::invalid_option);
    CHECK(thrown_by([&] { all.begin({.id = "a/b"}); }) == errc::invalid_name);
    CHECK(thrown_by([&] { all.begin({.id = std::string(201, 'x')}); }) == errc::invalid_name);
    // As of a header that a request should have had.
    CHECK(thrown_by([&] { all.begin({.id = ""}); }) == errc::invalid_name);
    CHECK(thrown_by([&] { all.begin({.id = std::string()}); }) == errc::invalid_name);
    CHECK(thrown_by([&] { all.begin({.attempts = 0}); }) == errc::invalid_option);
    CHECK(thrown_by([&] { all.begin({.within = 0ms}); }) == errc::invalid_option);
    CHECK(thrown_by([&] { bank::transactions_of(s.a, {.patience = 0ms}); }) == errc::invalid_option);
    CHECK(thrown_by([&] { bank::transactions_of(s.a, {.table = "x"}); }) == errc::invalid_name);
    CHECK(s.requests(s.a) == 0);
}

TEST_CASE("what was updated by an expression cannot be read, and what was made cannot be updated so") {
    bank s;
    s.has("ann", 1);
    s.in_a([](bank& in) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.a);
        auto tx = bank::transactions_of(in.a).begin();
        tx.update(book, "ann", add("balance", 1));
        try {
            co_await tx.get(book, "ann");
            FAIL("it was read");
        } catch (const error& why) {
            CHECK(why.code() == errc::updated_blindly);
            CHECK(why.diagnostics().key == "ann");
        }
        tx.insert(book, worth("bob", 1));
        CHECK(thrown_by([&] { tx.update(book, "bob", add("balance", 1)); }) == errc::updated_blindly);
        CHECK(thrown_by([&] { tx.insert(book, worth("bob", 1)); }) == errc::exists);
        tx.erase(book, "ann");
        CHECK(thrown_by([&] { tx.update(book, "ann", add("balance", 1)); }) == errc::missing);
    });
}

TEST_CASE("a transaction that has ended takes nothing more, however it ended") {
    const auto tier = tiers();
    const bool committed = GENERATE(true, false);
    bank s;
    s.has("ann", 1);
    s.in_a(
        [](bank& in, transaction_tier how, bool commits) -> asio::awaitable<void> {
            const auto book = bank::table_of(in.a);
            dynalease::lock lock(*in.a.session, "account/ann");
            const auto guard = co_await lock.acquire();
            auto tx = bank::transactions_of(in.a).begin({.tier = how});
            const condition_expression rich = attr("balance") >= 100;
            if (commits)
                tx.update(book, "ann", add("balance", 1));
            else
                tx.update(book, "ann", add("balance", 1), rich);
            auto [first] = co_await tx.commit(as_pair);
            CHECK(first == (commits ? error_code() : make_error_code(errc::condition_failed)));
            CHECK(thrown_by([&] { tx.put(book, worth("bob", 1)); }) == errc::transaction_over);
            CHECK(thrown_by([&] { tx.insert(book, worth("bob", 1)); }) == errc::transaction_over);
            CHECK(thrown_by([&] { tx.update(book, "ann", add("balance", 1)); }) == errc::transaction_over);
            CHECK(thrown_by([&] { tx.erase(book, "ann"); }) == errc::transaction_over);
            CHECK(thrown_by([&] { tx.check(book, "ann"); }) == errc::transaction_over);
            CHECK(thrown_by([&] { tx.require(guard); }) == errc::transaction_over);
            error_code read;
            try {
                co_await tx.get(book, "ann");
            } catch (const error& why) {
                read = why.code();
            }
            CHECK(read == errc::transaction_over);
            auto [again] = co_await tx.commit(as_pair);
            CHECK(again == errc::transaction_over);
        },
        tier, committed);
    CHECK(s.balance("ann") == (committed ? 2 : 1));
    CHECK(s.stored("bob").empty());
    CHECK_FALSE(s.is_marked("ann"));
}

TEST_CASE("two writes of one item that the service refuses as overlapping leave nothing locked") {
    const auto tier = tiers();
    bank s;
    s.has("ann", 1);
    const auto end = commit_of(s, tier, [&](transaction& tx, const accounts& book) {
        tx.update(book, "ann", set("balance", 2) + set("balance", 3));
    });
    check_refused(s, end);
}

TEST_CASE("a key of the wrong type is told, and nothing is left locked") {
    const auto tier = tiers();
    bank s;
    s.has("ann", 1);
    s.where.apply(
        create_table_request{.table_name = "numbered", .key = {.hash = {.name = "name", .type = scalar_type::n}}});
    const auto end = commit_of(s, tier, [&](transaction& tx, const accounts& book) {
        const accounts numbered(database(s.a.network), {.table = "numbered", .key = "name"});
        tx.update(book, "ann", add("balance", 1));
        tx.put(numbered, worth("bob", 1));
    });
    check_refused(s, end);
}

TEST_CASE("a table that does not exist is told, and nothing is left held") {
    const auto tier = tiers();
    bank s;
    s.has("ann", 1);
    const auto end = commit_of(s, tier, [&](transaction& tx, const accounts& book) {
        const accounts none(database(s.a.network), {.table = "no_such_table", .key = "name"});
        tx.update(book, "ann", add("balance", 1));
        tx.update(none, "ann", add("balance", 1));
    });
    CHECK(end.code == errc::table_not_found);
    CHECK(s.balance("ann") == 1);
    CHECK_FALSE(s.is_marked("ann"));
}

TEST_CASE("a fence lets the commit happen only while the lock is ours") {
    const auto tier = tiers();
    bank s;
    s.has("ann", 1);
    s.in_a(
        [](bank& in, transaction_tier how) -> asio::awaitable<void> {
            const auto book = bank::table_of(in.a);
            const run_options options{.tier = how};
            dynalease::lock lock(*in.a.session, "account/ann");
            auto guard = co_await lock.acquire();
            auto tx = bank::transactions_of(in.a).begin(options);
            tx.update(book, "ann", add("balance", 1));
            tx.require(guard);
            co_await tx.commit();

            auto late = bank::transactions_of(in.a).begin(options);
            late.update(book, "ann", add("balance", 1));
            late.require(guard);
            co_await guard.release();
            auto [code] = co_await late.commit(as_pair);
            CHECK(code == errc::lock_lost);
            auto never = bank::transactions_of(in.a).begin(options);
            CHECK(thrown_by([&] { never.require(guard); }) == errc::not_held);
        },
        tier);
    CHECK(s.balance("ann") == 2);
    CHECK_FALSE(s.is_marked("ann"));
}
