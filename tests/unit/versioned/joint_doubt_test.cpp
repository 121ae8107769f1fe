// Several writes together, of which a copy was not answered: what is told of all is true of all, later too.
// SPDX-License-Identifier: BSL-1.0
#include "book_shop.hpp"

#include <dynalease/dynamodb/expression.hpp>
#include <dynalease/versioned.hpp>

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

using testing::fault;
using kind = testing::fault::kind;

/// The shop's stock, which is kept by another program.
condition_check enough_left() {
    condition_check enough{.table_name = "books", .key = {{"isbn", "stock"}}, .condition_expression = {}};
    const auto some = attr("left") >= 1;
    apply(enough, some);
    return enough;
}

/// The first copy comes a minute after its answer was no longer waited for.
testing::fault_plan late_first() {
    fault late{kind::lose_answer};
    late.before = 60s;
    return testing::scripted_faults({late});
}

enum class foreign { check, row };

}  // namespace

TEST_CASE("joint doubt: what another's action refused may land later, and is not told as refused") {
    const auto what = GENERATE(foreign::check, foreign::row);
    shop s;
    error_code code;
    pending_joint_write pending;
    s.in_a(
        [](shop& in, foreign action, error_code& out, pending_joint_write& left) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto one = a_book("old", 1);
            auto first = co_await books.create(one);
            in.put({{"isbn", "stock"}, {"left", 0}});
            first.value.pages = 2;
            versioned_writes writes;
            writes.save(books, first);
            if (action == foreign::check) {
                writes.add(enough_left());
            } else {
                transact_put row{.table_name = "books", .new_item = {{"isbn", "stock"}, {"left", 7}}};
                const auto none = attr("left") != 0;
                apply(row, none);
                writes.add(row);
            }
            in.a.network->set_plan(late_first());
            try {
                co_await save_all(database(in.a.network), writes);
            } catch (const joint_in_doubt& why) {
                out = why.code();
                left = why.pending();
            }
            in.put({{"isbn", "stock"}, {"left", 5}});
        },
        s, what, code, pending);
    CHECK(code == errc::in_doubt);
    s.where.scheduler.run_for(5min);
    CHECK(find_integer(s.stored(), "pages") == 2);
    s.in_a(
        [](const pending_joint_write& left) -> asio::awaitable<void> {
            const auto verdict = co_await left.resolve();
            CHECK(verdict == resolution::applied);
        },
        pending);
}

TEST_CASE("joint doubt: an entry that can never be applied again keeps all from it, another's action or not") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto one = a_book("old", 1);
            auto first = co_await books.create(one);
            in.put({{"isbn", "stock"}, {"left", 5}});
            co_await books.touch(first);
            versioned_writes writes;
            const auto place = writes.save(books, first);
            writes.blind(books, "stock", add("left", -1));
            writes.add(transact_put{.table_name = "books", .new_item = {{"isbn", "event"}}});
            in.a.network->set_plan(late_first());
            try {
                co_await save_all(database(in.a.network), writes);
                FAIL("it went through");
            } catch (const joint_conflict& refused) {
                CHECK(refused.code() == errc::conflict);
                CHECK(refused.result().at(place).found == 2);
                CHECK(refused.diagnostics().key == isbn);
                CHECK(refused.diagnostics().table == "books");
                CHECK(refused.diagnostics().message == "entry 0: expected version 1, found version 2");
            }
        },
        s);
    s.where.scheduler.run_for(5min);
    CHECK(s.stored("event").empty());
}

TEST_CASE("joint doubt: an entry that is as it was loaded is not to blame") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            auto one = a_book("old", 1);
            auto first = co_await books.create(one);
            one.isbn = "event";
            auto second = co_await books.create(one);
            auto locked = in.stored();
            locked.insert_or_assign("_lockW", "somebody.1.0000000001");
            in.put(locked);
            co_await books.touch(second);
            versioned_writes writes;
            writes.save(books, first);
            writes.save(books, second);
            in.a.network->set_plan(late_first());
            try {
                co_await save_all(database(in.a.network), writes);
                FAIL("it went through");
            } catch (const joint_conflict& refused) {
                CHECK(refused.code() == errc::conflict);
                CHECK(refused.diagnostics().key == "event");
                CHECK(refused.diagnostics().message == "entry 1: expected version 1, found version 2");
            }
        },
        s);
}

TEST_CASE("joint doubt: the items tell what became of all, and a version alone does not") {
    const bool lands = GENERATE(true, false);
    shop s;
    s.in_a(
        [](shop& in, bool applied) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            auto theirs = in.books(in.b);
            const auto one = a_book("old", 1);
            auto first = co_await books.create(one);
            const book two{.isbn = "second", .title = "checked only"};
            auto second = co_await books.create(two);
            first.value.pages = 100;
            versioned_writes writes;
            writes.check(books, second);
            writes.save(books, first);
            in.a.network->set_plan([applied](const any_request&, const call_options&) {
                return fault{applied ? kind::lose_answer : kind::lose_request};
            });
            auto touching = [](versioned<book> table, node& b) -> asio::awaitable<void> {
                co_await sleep(b, 20s);
                auto now = co_await table.load(isbn);
                co_await table.touch(*now);
                auto other = co_await table.load("second");
                co_await table.touch(*other);
            };
            pending_joint_write pending;
            auto [error, result] = co_await save_all(database(in.a.network), writes, as_pair);
            CHECK(error == errc::in_doubt);
            pending = result.pending();
            REQUIRE(pending);
            in.a.network->set_plan({});
            if (!applied) {
                const auto open = co_await pending.resolve();
                CHECK(open == resolution::open);
            }
            co_await touching(theirs, in.b);
            const auto verdict = co_await pending.resolve();
            CHECK(verdict == (applied ? resolution::applied : resolution::not_applied));
        },
        s, lands);
}

TEST_CASE("joint doubt: an item twice is told before anything is sent, in another's action too") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto one = a_book();
            auto first = co_await books.create(one);
            in.a.network->clear_log();
            for (const bool by_put : {true, false}) {
                versioned_writes writes;
                writes.touch(books, first);
                if (by_put)
                    writes.add(transact_put{.table_name = "books", .new_item = {{"isbn", isbn}}});
                else
                    writes.add(transact_delete{.table_name = "books", .key = {{"isbn", isbn}}});
                auto [error, result] = co_await save_all(database(in.a.network), writes, as_pair);
                CHECK(error == errc::duplicate_item);
            }
            CHECK(in.requests(in.a) == 0);
        },
        s);
}
