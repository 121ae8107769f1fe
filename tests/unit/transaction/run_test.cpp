// Transactions as their users write them.
// SPDX-License-Identifier: BSL-1.0
#include "bank.hpp"

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

TEST_CASE("a transfer changes both accounts, and leaves no mark") {
    const auto tier = tiers();
    bank s;
    s.has("ann", 100);
    s.has("bob", 20);
    s.in_a(
        [](bank& in, transaction_tier how) -> asio::awaitable<void> {
            const auto book = bank::table_of(in.a);
            const auto all = bank::transactions_of(in.a);
            co_await all.run([&](auto& tx) { return transfer(tx, book, "ann", "bob", 30); }, by(how));
        },
        tier);
    CHECK(s.balance("ann") == 70);
    CHECK(s.balance("bob") == 50);
    CHECK(find_integer(s.stored("ann"), "version") == 1);
    CHECK_FALSE(s.is_marked("ann"));
    CHECK_FALSE(s.is_marked("bob"));
}

TEST_CASE("what the body throws is thrown on, and nothing is written") {
    const auto tier = tiers();
    bank s;
    s.has("ann", 10);
    s.has("bob", 20);
    s.in_a(
        [](bank& in, transaction_tier how) -> asio::awaitable<void> {
            const auto book = bank::table_of(in.a);
            const auto all = bank::transactions_of(in.a);
            auto paying = all.run([&](auto& tx) { return transfer(tx, book, "ann", "bob", 30); }, by(how));
            const bool refused = co_await lacks_funds(std::move(paying));
            CHECK(refused);
        },
        tier);
    CHECK(s.balance("ann") == 10);
    // Two reads, and both together once more.
    CHECK(s.requests(s.a) == 3);
}

namespace {

/// A rule that all transfers keep.
asio::awaitable<void> audit(bank& in, transaction& tx, int& ran) {
    const auto book = bank::table_of(in.a);
    const auto ann = co_await tx.get(book, "ann");
    if (++ran == 1) co_await transfer_elsewhere(in, 10, {});
    const auto bob = co_await tx.get(book, "bob");
    if (ann->balance + bob->balance != 120) throw std::logic_error("money has come or gone");
    if (ann->balance < 95) throw insufficient_funds{};
}

}  // namespace

TEST_CASE("a body that throws for what never was so together runs again; what it throws for what was, is thrown on") {
    bank s;
    s.has("ann", 100);
    s.has("bob", 20);
    s.in_a([](bank& in) -> asio::awaitable<void> {
        const auto all = bank::transactions_of(in.a);
        int ran = 0;
        auto auditing = all.run([&](auto& tx) { return audit(in, tx, ran); }, {.id = order_id});
        const bool refused = co_await lacks_funds(std::move(auditing));
        CHECK(refused);
        CHECK(ran == 2);
        // The id is free still.
        const auto book = bank::table_of(in.a);
        co_await all.run([&](auto& tx) { return transfer(tx, book, "ann", "bob", 1); }, {.id = order_id});
    });
    CHECK(s.balance("ann") == 89);
}

TEST_CASE("a body that throws for what its own id has done meanwhile is told that it is done") {
    bank s;
    s.has("ann", 100);
    s.has("bob", 20);
    s.in_a([](bank& in) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.a);
        const auto all = bank::transactions_of(in.a);
        int ran = 0;
        auto body = [&](transaction& tx) -> asio::awaitable<void> {
            if (++ran == 1) co_await transfer_elsewhere(in, 100, {.id = order_id});
            co_await transfer(tx, book, "ann", "bob", 100);
        };
        co_await all.run(body, {.id = order_id});
        CHECK(ran == 1);
    });
    CHECK(s.balance("ann") == 0);
}

TEST_CASE("a body that throws for what never was so is told as a conflict when it may not run again") {
    bank s;
    s.has("ann", 100);
    s.has("bob", 20);
    s.in_a([](bank& in) -> asio::awaitable<void> {
        const auto all = bank::transactions_of(in.a);
        int ran = 0;
        std::optional<error> told;
        try {
            co_await all.run([&](auto& tx) { return audit(in, tx, ran); }, {.attempts = 1});
        } catch (const error& why) {
            told = why;
        }
        REQUIRE(told);
        CHECK(told->code() == errc::conflict);
        CHECK(told->diagnostics().key == "ann");
    });
}

namespace {

/// What a run is told whose body throws for the accounts that it has read, once the operation fails in that way.
std::optional<error> told_while_failing(std::string_view operation, errc way, std::vector<std::string> read,
                                        run_options how = {}) {
    bank s;
    s.has("ann", 10);
    s.has("bob", 20);
    std::optional<error> told;
    bool thrown_on = false;
    s.in_a([&](bank& in) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.a);
        const auto all = bank::transactions_of(in.a);
        auto body = [&](transaction& tx) -> asio::awaitable<void> {
            for (const auto& name : read) co_await tx.get(book, name);
            in.a.network->set_plan([=](const any_request& request, const call_options&) -> testing::fault {
                if (operation_name(request) != operation) return {};
                return {.what = testing::fault::kind::fail, .answer = failure(way)};
            });
            throw insufficient_funds{};
        };
        try {
            thrown_on = co_await lacks_funds(all.run(body, how));
        } catch (const error& why) {
            told = why;
        }
    });
    CHECK(thrown_on != told.has_value());
    return told;
}

}  // namespace

TEST_CASE("where it cannot be read whether a body threw for what was so, that is told in place of what it threw") {
    const auto way = GENERATE(errc::unreachable, errc::timeout, errc::throttled, errc::server_error, errc::shut_down,
                              errc::corrupt_row);
    const auto told = told_while_failing("TransactGetItems", way, {"ann", "bob"});
    REQUIRE(told);
    CHECK(told->code() == way);
    CHECK(told->diagnostics().operation.starts_with("transactions.run"));
    CHECK(told->diagnostics().message.starts_with("the body threw, and whether all that it had read was so"));
}

TEST_CASE("whose credentials or endpoint never let that be read, is told what the body threw") {
    const auto way = GENERATE(errc::access_denied, errc::not_supported, errc::validation, errc::too_many_items);
    CHECK_FALSE(told_while_failing("TransactGetItems", way, {"ann", "bob"}));
}

TEST_CASE("where it cannot be read whether its id has committed meanwhile, a body's throw is not told either") {
    const auto told = told_while_failing("GetItem", errc::unreachable, {"ann"}, {.id = order_id});
    REQUIRE(told);
    CHECK(told->code() == errc::unreachable);
}

TEST_CASE("what a body throws that has read one item alone, is thrown on at once") {
    bank s;
    s.has("ann", 100);
    s.in_a([](bank& in) -> asio::awaitable<void> {
        const auto all = bank::transactions_of(in.a);
        const auto book = bank::table_of(in.a);
        auto body = [&](transaction& tx) -> asio::awaitable<void> {
            co_await tx.get(book, "ann");
            throw insufficient_funds{};
        };
        const bool refused = co_await lacks_funds(all.run(body));
        CHECK(refused);
    });
    CHECK(s.requests(s.a) == 1);
}

TEST_CASE("a transaction reads what it has written") {
    bank s;
    s.has("ann", 10);
    s.in_a([](bank& in) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.a);
        auto tx = bank::transactions_of(in.a).begin();
        auto ann = co_await tx.get(book, "ann");
        REQUIRE(ann);
        ann->balance = 11;
        tx.put(book, *ann);
        const account carl{.name = "carl", .balance = 5};
        tx.insert(book, carl);
        const auto again = co_await tx.get(book, "ann");
        CHECK(again->balance == 11);
        const auto made = co_await tx.get(book, "carl");
        CHECK(made->balance == 5);
        tx.erase(book, "ann");
        const auto gone = co_await tx.get(book, "ann");
        CHECK_FALSE(gone);
        co_await tx.commit();
    });
    CHECK(s.stored("ann").empty());
    CHECK(s.balance("carl") == 5);
}

TEST_CASE(
    "what is committed costs one read, whatever stands on the item; what is the latest, one more of what is held") {
    const bool held = GENERATE(true, false);
    const bool decided = GENERATE(true, false);
    bank s;
    s.has("ann", 100);
    s.has("bob", 20);
    if (held) s.a_dies_after(decided ? 4 : 3, order_id);
    const auto [level, requests, balance] = GENERATE_COPY(Catch::Generators::table<isolation, std::size_t, int>(
        {{isolation::committed, 1, 100},
         {isolation::latest, held ? 2 : 1, held && decided ? 70 : 100},
         {isolation::uncommitted, 1, held ? 70 : 100}}));
    run(s.where, s.b, [](bank& in, isolation how, int expected) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.b);
        const auto seen = co_await bank::transactions_of(in.b).read(book, "ann", how);
        CHECK(seen->balance == expected);
    }(s, level, balance));
    CHECK(s.requests(s.b) == requests);
}
