// Writes to a locked item that are not the guard's own, under its condition: an optimistic save of the holder's.
// SPDX-License-Identifier: BSL-1.0
#include "support/till.hpp"

#include <dynalease/versioned.hpp>

#include <boost/describe/class.hpp>
#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

struct till_row {
    std::string id{};
    std::int64_t amount = 0;
};
BOOST_DESCRIBE_STRUCT(till_row, (), (id, amount))

versioned<till_row> tills(node& in) {
    return {database(in.network), {.table = "tills", .key = "id"}};
}

/// Saves what the guard brought, beside a row elsewhere, if the lock is still this guard's.
asio::awaitable<void> save_under(node& in, const item_guard& guard, condition_expression ours, std::int64_t amount) {
    auto table = tills(in);
    auto brought = table.from(guard.item());
    brought->value.amount = amount;
    save_options how;
    how.condition = std::move(ours);
    how.ignore_lock = true;
    versioned_writes writes;
    writes.save(table, *brought, how);
    writes.add(transact_put{.table_name = tests::table, .new_item = {{"pk", "log"}, {"sk", "-"}}});
    co_await save_all(database(in.network), std::move(writes));
}

}  // namespace

TEST_CASE("the holder saves the locked item by its version, beside other items, and nobody else does") {
    till_world w;
    node a(w, 1);
    item_guard guard;
    run(w, a, take(item_lock{*a.session, till()}, guard));
    a.network->clear_log();
    run(w, a, save_under(a, guard, guard.condition(), 70));
    CHECK(a.network->log().size() == 1);  // what the lock brought need not be read
    CHECK(w.amount() == 70);
    CHECK(find_integer(w.stored(), "version") == 8);
    CHECK(guard.held());
    run(w, a, give_back(guard));
    CHECK(w.unlocked());
    CHECK_THROWS_AS(guard.condition(), error);
}

TEST_CASE("the condition of a guard that was taken over lets nothing be written") {
    till_world w;
    node a(w, 1);
    node b(w, 2);
    item_guard old;
    item_guard now;
    run(w, a, take(item_lock{*a.session, till()}, old));
    auto stale = old.condition();
    a.process->pause();
    running waits(w, b, take(item_lock{*b.session, till()}, now));
    waits.wait(30s);
    a.process->resume();
    error_code code;
    run(w, a, code_of(save_under(a, old, std::move(stale), 70), code));
    CHECK(code == errc::condition_failed);
    CHECK(w.amount() == 0);
    CHECK(w.row("log").empty());
    run(w, b, save_under(b, now, now.condition(), 30));
    CHECK(w.amount() == 30);
}

TEST_CASE("a reader's condition holds for as long as it reads") {
    till_world w;
    node a(w, 1);
    item_guard reads;
    run(w, a, share(item_lock{*a.session, till()}, reads));
    const auto ours = reads.condition();
    run(w, a, save_under(a, reads, ours, 10));
    CHECK(w.amount() == 10);
    run(w, a, give_back(reads));
    error_code code;
    run(w, a, code_of(save_under(a, reads, ours, 20), code));
    CHECK(code);
    CHECK(w.amount() == 10);
}

TEST_CASE("an item that a query has shown can be saved, one that is no such value is told") {
    till_world w;
    node a(w, 1);
    auto table = tills(a);
    auto shown = table.from(w.stored());
    REQUIRE(shown);
    CHECK(shown->version == 7);
    CHECK(shown->value.amount == 0);
    dynalease::item wrong{{"id", "north"}, {"amount", "much"}};
    CHECK_THROWS_AS(table.from(std::move(wrong)), error);
    dynalease::item unversioned{{"id", "north"}, {"amount", 1}, {"version", "seven"}};
    error_code code;
    try {
        table.from(std::move(unversioned));
    } catch (const error& why) {
        code = why.code();
        CHECK(why.diagnostics().table == "tills");
    }
    CHECK(code == errc::bad_version);
}
