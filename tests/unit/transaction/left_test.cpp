// Transactions that somebody has left: met, resumed, rolled back, swept, and asked for by their ids.
// SPDX-License-Identifier: BSL-1.0
#include "bank.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <catch2/catch.hpp>

#include <cstddef>
#include <memory>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

/// The first lock of process a lands after 20 s, and has no answer.
void first_lock_is_late(bank& s) {
    auto writes = std::make_shared<int>(0);
    s.a.network->set_plan([writes](const any_request& request, const call_options&) -> testing::fault {
        if (!is_write(request) || ++*writes != 2) return {};
        return {.before = 20s};
    });
}

/// Rolled back, for one of its items is missing.
asio::awaitable<void> fails(bank& in, std::optional<std::string> under) {
    const auto book = bank::table_of(in.a);
    const run_options options{.id = std::move(under), .tier = transaction_tier::inline_undo};
    auto tx = bank::transactions_of(in.a).begin(options);
    tx.update(book, "ann", add("balance", 1));
    tx.update(book, "nobody", add("balance", 1));
    auto [code] = co_await tx.commit(as_pair);
    CHECK(code == errc::missing);
}

std::size_t open_rows(bank& s) {
    std::size_t count = 0;
    for (const auto& row : s.where.apply(scan_request{.table_name = "coordination"}).items) {
        count += row.contains("done") ? 0 : 1;
    }
    return count;
}

template <class Body>
void in_b(bank& s, Body body) {
    run(s.where, s.b, body(s), 3h);
}

void fill(bank& s) {
    s.has("ann", 100);
    s.has("bob", 20);
}

}  // namespace

TEST_CASE("another process carries a transaction on that was left in the middle") {
    // 1: begun; 2, 3: one and both locked; 4: committed; 5: one given back.
    const auto writes = GENERATE(1U, 2U, 3U, 4U, 5U);
    CAPTURE(writes);
    bank s(3);
    fill(s);
    s.a_dies_after(writes, order_id);
    in_b(s, [](bank& in) -> asio::awaitable<void> {
        const auto all = bank::transactions_of(in.b);
        const auto end = co_await all.resume(order_id);
        CHECK(end == transaction_state::committed);
        const auto again = co_await all.resume(order_id);
        CHECK(again == transaction_state::committed);
    });
    CHECK(s.balance("ann") == 70);
    CHECK(s.balance("bob") == 50);
    CHECK_FALSE(s.is_marked("ann"));
    CHECK_FALSE(s.is_marked("bob"));
}

TEST_CASE("another process rolls back what was left before it was decided, and completes what was") {
    const auto writes = GENERATE(1U, 2U, 3U, 4U, 5U);
    CAPTURE(writes);
    const bool decided = writes > 3;
    bank s(3);
    fill(s);
    s.a_dies_after(writes, order_id);
    in_b(s, [decided](bank& in) -> asio::awaitable<void> {
        const auto all = bank::transactions_of(in.b);
        const auto before = co_await all.look(order_id);
        CHECK(before.state == (decided ? transaction_state::committed : transaction_state::pending));
        CHECK(before.items.size() == 2);
        const auto end = co_await all.roll_back(order_id);
        CHECK(end == (decided ? transaction_state::committed : transaction_state::rolled_back));
        const auto after = co_await all.look(order_id);
        CHECK(after.state == end);
        CHECK(after.done);
    });
    CHECK(s.balance("ann") == (decided ? 70 : 100));
    CHECK(s.balance("bob") == (decided ? 50 : 20));
    CHECK_FALSE(s.is_marked("ann"));
    CHECK_FALSE(s.is_marked("bob"));
}

TEST_CASE("a sweep ends what was left, and a reader need not wait for that") {
    const auto writes = GENERATE(1U, 2U, 3U, 4U, 5U);
    CAPTURE(writes);
    const bool decided = writes > 3;
    bank s(3);
    fill(s);
    s.a_dies_after(writes, order_id);
    s.b.network->set_plan(
        [](const any_request&, const call_options&) -> testing::fault { return {.before = 2ms, .after = 2ms}; });
    in_b(s, [decided](bank& in) -> asio::awaitable<void> {
        const auto all = bank::transactions_of(in.b);
        const auto book = bank::table_of(in.b);
        const auto ann = co_await all.read(book, "ann");
        CHECK(ann->balance == (decided ? 70 : 100));
        const auto listed = co_await all.list();
        REQUIRE(listed.size() == 1);
        CHECK(listed.front().id == order_id);
        const auto report = co_await all.sweep();
        CHECK(report.seen == 1);
        CHECK(report.rolled_back == (decided ? 0 : 1));
        CHECK(report.finished == (decided ? 1 : 0));
        const auto empty = co_await all.sweep();
        CHECK(empty.seen == 0);
    });
    CHECK(s.balance("ann") + s.balance("bob") == 120);
    CHECK_FALSE(s.is_marked("ann"));
    CHECK_FALSE(s.is_marked("bob"));
}

TEST_CASE("who wants an item of a transaction that was left, ends that and goes on") {
    const auto writes = GENERATE(2U, 3U, 4U, 5U);
    const auto tier = GENERATE(transaction_tier::automatic, transaction_tier::inline_undo);
    CAPTURE(writes);
    const bool decided = writes > 3;
    bank s(3);
    fill(s);
    s.a_dies_after(writes, order_id);
    in_b(s, [tier](bank& in) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.b);
        const auto all = bank::transactions_of(in.b);
        const run_options options{.tier = tier};
        co_await all.run([&](auto& tx) { return transfer(tx, book, "ann", "bob", 1); }, options);
    });
    CHECK(s.balance("ann") == (decided ? 69 : 99));
    CHECK(s.balance("bob") == (decided ? 51 : 21));
    CHECK_FALSE(s.is_marked("ann"));
    CHECK_FALSE(s.is_marked("bob"));
}

TEST_CASE("the same id again completes what was left, and happens once") {
    const auto writes = GENERATE(1U, 2U, 3U, 4U, 5U);
    CAPTURE(writes);
    bank s(3);
    fill(s);
    s.a_dies_after(writes, order_id);
    in_b(s, [](bank& in) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.b);
        const auto all = bank::transactions_of(in.b);
        const run_options options{.id = order_id};
        for (int i = 0; i < 2; ++i) {
            co_await all.run([&](auto& tx) { return transfer(tx, book, "ann", "bob", 30); }, options);
        }
        try {
            co_await all.run([&](transaction&) -> asio::awaitable<int> { co_return 1; }, options);
            FAIL("it ran again");
        } catch (const error& why) {
            CHECK(why.code() == errc::already_committed);
            CHECK(why.diagnostics().key == order_id);
        }
    });
    CHECK(s.balance("ann") == 70);
    CHECK(s.balance("bob") == 50);
}

TEST_CASE("an id that is run twice happens once, by whichever tier") {
    const auto tier = GENERATE(transaction_tier::automatic, transaction_tier::inline_undo);
    bank s(3);
    fill(s);
    in_b(s, [tier](bank& in) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.b);
        const auto all = bank::transactions_of(in.b);
        const run_options options{.id = order_id, .tier = tier};
        for (int i = 0; i < 3; ++i) {
            co_await all.run([&](auto& tx) { return transfer(tx, book, "ann", "bob", 30); }, options);
        }
        const auto seen = co_await all.look(order_id);
        CHECK(seen.state == transaction_state::committed);
        CHECK(seen.done);
        const auto none = co_await all.look("nobody");
        CHECK(none.state == transaction_state::unknown);
        const auto nothing = co_await all.resume("nobody");
        CHECK(nothing == transaction_state::unknown);
    });
    CHECK(s.balance("ann") == 70);
}

TEST_CASE("an id whose body wrote nothing is remembered too") {
    bank s(3);
    fill(s);
    in_b(s, [](bank& in) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.b);
        const auto all = bank::transactions_of(in.b);
        const run_options options{.id = order_id};
        int runs = 0;
        auto body = [&](transaction& tx) -> asio::awaitable<void> {
            ++runs;
            co_await tx.get(book, "ann");
        };
        for (int i = 0; i < 2; ++i) co_await all.run(body, options);
        CHECK(runs == 1);
        const auto seen = co_await all.look(order_id);
        CHECK(seen.state == transaction_state::committed);
    });
}

TEST_CASE("a body that commits by itself is refused, and nothing is written") {
    bank s(3);
    fill(s);
    in_b(s, [](bank& in) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.b);
        const auto all = bank::transactions_of(in.b);
        auto body = [&](transaction& tx) -> asio::awaitable<void> {
            tx.update(book, "ann", add("balance", 1));
            co_await tx.commit();
        };
        try {
            co_await all.run(body);
            FAIL("it was committed");
        } catch (const error& why) {
            CHECK(why.code() == errc::transaction_over);
            CHECK(why.diagnostics().message == "the body of run does not commit");
            CHECK(std::string_view(why.what()).find("was committed") == std::string_view::npos);
        }
    });
    CHECK(s.balance("ann") == 100);
}

TEST_CASE("times without end are taken for very long ones") {
    bank s(3);
    fill(s);
    in_b(s, [](bank& in) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.b);
        const auto all = bank::transactions_of(in.b);
        const run_options options{.within = std::chrono::milliseconds::max(), .tier = transaction_tier::inline_undo};
        co_await all.run([&](auto& tx) { return transfer(tx, book, "ann", "bob", 1); }, options);
    });
    CHECK(s.balance("ann") == 99);
}

TEST_CASE("what a late copy of a lock marks after its transaction was rolled back, a sweep frees") {
    bank s(3);
    fill(s);
    first_lock_is_late(s);
    s.in_a(fails, std::nullopt);
    CHECK_FALSE(s.is_marked("ann"));
    s.where.scheduler.run_for(30s);
    CHECK(s.is_marked("ann"));
    in_b(s, [](bank& in) -> asio::awaitable<void> {
        const auto all = bank::transactions_of(in.b);
        const auto report = co_await all.sweep();
        CHECK(report.seen == 0);
        CHECK(report.finished == 1);
    });
    CHECK_FALSE(s.is_marked("ann"));
    CHECK(s.balance("ann") == 100);
}

TEST_CASE("what a late copy of a lock marks after its id was run again, a sweep frees") {
    const auto tier = GENERATE(transaction_tier::automatic, transaction_tier::inline_undo);
    bank s(3);
    fill(s);
    first_lock_is_late(s);
    s.in_a(fails, order_id);
    const auto again = [tier](bank& in) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.a);
        const run_options options{.id = order_id, .tier = tier};
        auto tx = bank::transactions_of(in.a).begin(options);
        tx.update(book, "bob", add("balance", 1));
        co_await tx.commit();
    };
    s.in_a(again);
    CHECK_FALSE(s.is_marked("ann"));
    s.where.scheduler.run_for(30s);
    CHECK(s.is_marked("ann"));
    in_b(s, [](bank& in) -> asio::awaitable<void> {
        const auto all = bank::transactions_of(in.b);
        const auto report = co_await all.sweep();
        CHECK(report.finished == 1);
        const auto seen = co_await all.look(order_id);
        CHECK(seen.state == transaction_state::committed);
    });
    CHECK_FALSE(s.is_marked("ann"));
    CHECK(s.balance("ann") == 100);
    CHECK(s.balance("bob") == 21);
}

TEST_CASE("what a lock marks that lands after its process died and others ended its transaction, a sweep frees") {
    const bool by_id = GENERATE(true, false);
    bank s(3);
    fill(s);
    first_lock_is_late(s);
    running stuck(s.where, s.a, fails(s, order_id));
    s.where.scheduler.run_for(100ms);
    s.a.crash();
    in_b(s, [by_id](bank& in) -> asio::awaitable<void> {
        const auto book = bank::table_of(in.b);
        const auto all = bank::transactions_of(in.b);
        if (by_id) {
            const run_options options{.id = order_id};
            auto body = [&](transaction& tx) -> asio::awaitable<void> {
                tx.update(book, "bob", add("balance", 1));
                co_return;
            };
            co_await all.run(body, options);
        } else {
            const auto end = co_await all.roll_back(order_id);
            CHECK(end == transaction_state::rolled_back);
        }
    });
    CHECK_FALSE(s.is_marked("ann"));
    s.where.scheduler.run_for(30s);
    CHECK(s.is_marked("ann"));
    in_b(s, [](bank& in) -> asio::awaitable<void> {
        const auto report = co_await bank::transactions_of(in.b).sweep();
        CHECK(report.finished == 1);
    });
    CHECK_FALSE(s.is_marked("ann"));
    CHECK(s.balance("ann") == 100);
}

TEST_CASE("what is set aside is looked at in each sweep, and by none after an hour") {
    bank s(3);
    fill(s);
    first_lock_is_late(s);
    s.in_a(fails, std::nullopt);
    s.where.scheduler.run_for(30s);
    in_b(s, [](bank& in) -> asio::awaitable<void> {
        const auto all = bank::transactions_of(in.b);
        const auto listed = co_await all.list();
        CHECK(listed.empty());
        for (int i = 0; i < 2; ++i) {
            in.b.network->clear_log();
            const auto report = co_await all.sweep();
            CHECK(report.seen == 0);
            CHECK(report.finished == (i == 0 ? 1 : 0));
            CHECK(in.requests(in.b, "GetItem") == 2);
            CHECK(in.requests(in.b, "UpdateItem") == (i == 0 ? 1 : 0));
            CHECK(in.requests(in.b, "Scan") == 1);
            co_await sleep(in.b, 10min);
        }
        CHECK(open_rows(in) == 1);
        co_await sleep(in.b, 60min);
        in.b.network->clear_log();
        co_await all.sweep();
        CHECK(in.requests(in.b, "GetItem") == 2);
        co_await sleep(in.b, 1s);
        CHECK(in.requests(in.b, "UpdateItem") == 1);
        CHECK(open_rows(in) == 0);
        in.b.network->clear_log();
        co_await all.sweep();
        CHECK(in.requests(in.b, "Scan") == 1);
        CHECK(in.requests(in.b) == 2);  // DescribeTable, too
    });
}
