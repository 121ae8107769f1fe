// Updates of versioned items that a transaction holds: they wait, by reading.
// SPDX-License-Identifier: BSL-1.0
#include "marked_books.hpp"

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

TEST_CASE("an update waits until a transaction is over, by reading, and changes what that left") {
    const auto kind = GENERATE(mark_kind::updated, mark_kind::to_erase, mark_kind::read);
    const bool commits = GENERATE(true, false);
    shop s;
    s.in_a(
        [](shop& in, mark_kind held, bool committed) -> asio::awaitable<void> {
            co_await a_loaded_book(in);
            auto transaction = transaction_on(in, of(held));
            transaction.lock();
            const bool erased = committed && held == mark_kind::to_erase;
            auto update = [](versioned<book> table, bool gone) -> asio::awaitable<void> {
                auto [code, told] = co_await table.update(isbn, one_more, {.tries = 1}, as_pair);
                CHECK(code == (gone ? make_error_code(errc::missing) : error_code{}));
            };
            running updating(in.where, in.b, update(in.books(in.b), erased));
            co_await sleep(in.a, 3s);
            CHECK_FALSE(updating.done());
            if (committed) {
                transaction.finish();
            } else {
                transaction.roll_back();
            }
            co_await sleep(in.a, 2s);
            CHECK(updating.done());
            updating.wait();
            CHECK(in.requests(in.b, "UpdateItem") == (erased ? 1U : 2U));
            CHECK(in.requests(in.b, "GetItem") < 12);
            if (erased) co_return;
            const bool changed = committed && held == mark_kind::updated;
            CHECK(in.stored_version() == (changed ? 4 : 3));
            CHECK(find_integer(in.stored(), "pages") == (changed ? 42 : 101));
            CHECK(find_string(in.stored(), "title")->substr(0, 2) == (changed ? "Un" : "Se"));
        },
        s, kind, commits);
}

TEST_CASE("an update of what a transaction inserts waits until it is there, or is known not to be") {
    const bool commits = GENERATE(true, false);
    const bool makes = GENERATE(true, false);
    shop s;
    s.in_a(
        [](shop& in, bool committed, bool creates) -> asio::awaitable<void> {
            auto transaction = transaction_on(in, inserting());
            transaction.lock();
            auto update = [](versioned<book> table, bool create, bool there) -> asio::awaitable<void> {
                auto [code, told] = co_await table.update(isbn, one_more, {.create = create}, as_pair);
                CHECK(code == (create || there ? error_code{} : make_error_code(errc::missing)));
            };
            running updating(in.where, in.b, update(in.books(in.b), creates, committed));
            co_await sleep(in.a, 3s);
            CHECK_FALSE(updating.done());
            if (committed) {
                transaction.finish();
            } else {
                transaction.roll_back();
            }
            co_await sleep(in.a, 2s);
            CHECK(updating.done());
            updating.wait();
            CHECK(in.requests(in.b, "PutItem") == (creates && !committed ? 1U : 0U));
            CHECK(in.requests(in.b, "UpdateItem") == (committed ? 1U : 0U));
            if (committed) CHECK(find_integer(in.stored(), "pages") == 2);
            if (committed) CHECK(in.stored_version() == 2);

            // One that is not over in time is told of.
            auto another = transaction_on(in, inserting("another"), "another", "4712");
            another.lock();
            auto books = in.books(in.a);
            auto [code, told] = co_await books.update("another", one_more, {.create = creates, .wait = 2s}, as_pair);
            CHECK(code == errc::locked);
            CHECK(told.holder == "transaction 4712");
        },
        s, commits, makes);
}
