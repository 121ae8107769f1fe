// Versions in transactions: several items together, with conflicts told for each.
// SPDX-License-Identifier: BSL-1.0
#include "book_shop.hpp"

#include <dynalease/dynamodb/expression.hpp>
#include <dynalease/versioned.hpp>

#include <catch2/catch.hpp>

#include <type_traits>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

book numbered(int n) {
    return {.isbn = "book-" + std::to_string(n), .title = "Volume " + std::to_string(n), .pages = n};
}

asio::awaitable<std::vector<loaded<book>>> make_books(versioned<book> books, int count) {
    std::vector<loaded<book>> out;
    for (int i = 0; i < count; ++i) {
        const auto one = numbered(i);
        auto made = co_await books.create(one);
        out.push_back(std::move(made));
    }
    co_return out;
}

}  // namespace

TEST_CASE("in transactions: save, create, touch, check, remove and blind happen together") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            auto shelf = co_await make_books(books, 5);
            in.a.network->clear_log();
            versioned_writes writes;
            shelf[0].value.pages = 1000;
            const auto saved = writes.save(books, shelf[0]);
            const auto touched = writes.touch(books, shelf[1]);
            writes.remove(books, shelf[2]);
            writes.check(books, shelf[3]);
            const auto created = writes.create(books, numbered(9));
            writes.blind(books, "book-4", add("pages", 1));
            auto done = co_await save_all(database(in.a.network), writes);
            CHECK(in.requests(in.a) == 1);
            CHECK(done.saved(books, saved)->version == 2);
            CHECK(done.saved(books, saved)->value.pages == 1000);
            CHECK(done.saved(books, touched)->version == 2);
            CHECK(done.saved(books, created)->version == 1);
            // What came back can be saved again.
            const auto again = *done.saved(books, saved);
            auto next = co_await books.save(again);
            CHECK(next.version == 3);
        },
        s);
    CHECK(s.stored("book-2").empty());
    CHECK(s.stored_version("book-3") == 1);
    CHECK(s.stored_version("book-4") == 2);
    CHECK(find_integer(s.stored("book-4"), "pages") == 5);
}

TEST_CASE("in transactions: a conflict is told for its item, with what is there, and nothing is written") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            auto shelf = co_await make_books(books, 3);
            co_await books.touch(shelf[1]);
            versioned_writes writes;
            const auto first = writes.save(books, shelf[0], {.scope = save_scope::whole});
            const auto second = writes.check(books, shelf[1]);
            const auto third = writes.create(books, numbered(2));
            try {
                co_await save_all(database(in.a.network), writes);
                FAIL("it went through");
            } catch (const joint_conflict& refused) {
                CHECK(refused.code() == errc::conflict);
                const auto& result = refused.result();
                CHECK_FALSE(result.at(first).code);
                CHECK(result.at(second).code == errc::conflict);
                CHECK(result.at(second).expected == 1);
                CHECK(result.at(second).found == 2);
                CHECK(result.current(books, second)->value.title == "Volume 1");
                CHECK(result.at(third).code == errc::exists);
            }
        },
        s);
    CHECK(s.stored_version("book-0") == 1);
}

TEST_CASE("in transactions: a clobbering asks for no version, raises it, and makes an item only if it is to") {
    const bool upsert = GENERATE(false, true);
    shop s;
    s.in_a(
        [](shop& in, bool makes) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            auto shelf = co_await make_books(books, 2);
            co_await books.touch(shelf[0]);
            auto known = in.stored("book-0");
            known.insert_or_assign("shelf", "left");
            in.put(known);
            shelf[0].value.pages = 77;
            versioned_writes writes;
            const auto there = writes.clobber(books, shelf[0].value);
            writes.touch(books, shelf[1]);
            auto done = co_await save_all(database(in.a.network), writes);
            CHECK_FALSE(done.saved(books, there));

            versioned_writes more;
            more.clobber(books, shelf[1].value);
            const auto none = more.clobber(books, numbered(8), {.upsert = makes});
            auto [error, result] = co_await save_all(database(in.a.network), more, as_pair);
            CHECK(error == (makes ? error_code() : make_error_code(errc::missing)));
            if (!makes) CHECK(result.at(none).code == errc::missing);
        },
        s, upsert);
    CHECK(s.stored_version("book-0") == 3);
    CHECK(find_integer(s.stored("book-0"), "pages") == 77);
    CHECK(*find_string(s.stored("book-0"), "shelf") == "left");
    CHECK(s.stored_version("book-1") == (upsert ? 3 : 2));
    CHECK(s.stored("book-8").empty() == !upsert);
}

TEST_CASE("in transactions: a clobbering that may make its item makes it over a tombstone") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto options = in_books();
            options.removal = removal::tombstone;
            auto books = in.books(in.a, options);
            auto shelf = co_await make_books(books, 2);
            co_await books.remove(shelf[0]);
            versioned_writes writes;
            const auto made = writes.clobber(books, shelf[0].value, {.upsert = true});
            writes.touch(books, shelf[1]);
            auto done = co_await save_all(database(in.a.network), writes);
            CHECK(done.saved(books, made)->value.title == "Volume 0");
            CHECK(done.saved(books, made)->attributes == in.stored("book-0"));
        },
        s);
    CHECK(s.stored_version("book-1") == 2);
}

TEST_CASE("in transactions: a clobbering respects locks, and a lost answer of it is resolved") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            auto shelf = co_await make_books(books, 2);
            auto locked = in.stored("book-1");
            locked.insert_or_assign("_lockW", "somebody.1.0000000001");
            in.put(locked);
            versioned_writes writes;
            writes.touch(books, shelf[0]);
            const auto held = writes.clobber(books, shelf[1].value);
            auto [error, result] = co_await save_all(database(in.a.network), writes, as_pair);
            CHECK(error == errc::locked);
            CHECK(result.at(held).holder == "somebody.1.0000000001");
            CHECK(in.stored_version("book-0") == 1);

            versioned_writes again;
            again.touch(books, shelf[0]);
            again.clobber(books, shelf[1].value, {.ignore_lock = true});
            in.a.network->set_plan([](const any_request& request, const call_options&) {
                const bool writes = std::holds_alternative<transact_write_items_request>(request);
                return testing::fault{writes ? testing::fault::kind::lose_answer : testing::fault::kind::pass};
            });
            pending_joint_write pending;
            try {
                co_await save_all(database(in.a.network), again);
            } catch (const joint_in_doubt& why) {
                pending = why.pending();
            }
            const auto became = co_await pending.resolve();
            CHECK(became == resolution::applied);
        },
        s);
    CHECK(s.stored_version("book-0") == 2);
    CHECK(s.stored_version("book-1") == 2);
}

TEST_CASE("in transactions: a lost answer is neither a conflict nor written twice") {
    const auto what = GENERATE(testing::fault::kind::lose_answer, testing::fault::kind::lose_request,
                               testing::fault::kind::apply_twice);
    shop s;
    s.in_a(
        [](shop& in, testing::fault::kind fate) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            auto shelf = co_await make_books(books, 2);
            versioned_writes writes;
            writes.touch(books, shelf[0]);
            writes.touch(books, shelf[1]);
            in.a.network->set_plan(testing::scripted_faults({testing::fault{fate}}));
            auto done = co_await save_all(database(in.a.network), writes);
            CHECK(done.saved(books, 0)->version == 2);
        },
        s, what);
    s.where.scheduler.run();
    CHECK(s.stored_version("book-0") == 2);
    CHECK(s.stored_version("book-1") == 2);
}

TEST_CASE("in batch writes: refused by the compiler, since a batch can test nothing") {
    STATIC_REQUIRE_FALSE(std::is_constructible_v<batch_write, transact_write>);
    STATIC_REQUIRE_FALSE(std::is_constructible_v<batch_write, loaded<book>>);
    STATIC_REQUIRE_FALSE(std::is_constructible_v<batch_put, loaded<book>>);
}

TEST_CASE("unit of work, outbox: a row of another table is put exactly if the item was saved") {
    const bool stale = GENERATE(false, true);
    shop s;
    s.where.apply(create_table_request{.table_name = "outbox", .key = {.hash = {.name = "id"}}});
    s.in_a(
        [](shop& in, bool is_stale) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            auto shelf = co_await make_books(books, 1);
            if (is_stale) co_await books.touch(shelf[0]);
            shelf[0].value.title = "Sold out";
            versioned_writes writes;
            writes.save(books, shelf[0]);
            transact_put event{.table_name = "outbox", .new_item = {{"id", "event-1"}}};
            apply(event, attribute_not_exists("id"));
            writes.add(event);
            auto [error, result] = co_await save_all(database(in.a.network), writes, as_pair);
            CHECK(error == (is_stale ? make_error_code(errc::conflict) : error_code{}));
        },
        s, stale);
    const auto event = s.where.apply(get_item_request{.table_name = "outbox", .key = {{"id", "event-1"}}});
    CHECK(event.found.has_value() == !stale);
}

TEST_CASE("bad input: an item twice, nothing, or more than a hundred") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            auto shelf = co_await make_books(books, 1);
            in.a.network->clear_log();
            versioned_writes twice;
            twice.touch(books, shelf[0]);
            twice.check(books, shelf[0]);
            auto [duplicate, a] = co_await save_all(database(in.a.network), twice, as_pair);
            CHECK(duplicate == errc::duplicate_item);
            versioned_writes none;
            auto [empty, b] = co_await save_all(database(in.a.network), none, as_pair);
            CHECK(empty == errc::invalid_option);
            versioned_writes many;
            for (int i = 0; i < 101; ++i) many.create(books, numbered(i + 10));
            auto [full, c] = co_await save_all(database(in.a.network), many, as_pair);
            CHECK(full == errc::too_many_items);
            CHECK(in.requests(in.a) == 0);
        },
        s);
}

TEST_CASE("in transactions: an item is replaced, and one is saved by its revision") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            auto shelf = co_await make_books(books, 2);
            co_await books.blind("book-0", set("unknown", 7));
            auto first = co_await books.load("book-0");
            versioned_writes writes;
            first->value.pages = 70;
            const auto replaced = writes.replace(books, *first);
            book second = shelf[1].value;
            second.pages = 80;
            const auto saved = writes.save(books, item_revision(shelf[1].revision()), second);
            auto done = co_await save_all(database(in.a.network), writes);
            CHECK(done.saved(books, replaced)->version == 3);
            CHECK_FALSE(done.saved(books, saved));  // what the struct does not know, is not known
            auto [error, again] = co_await save_all(database(in.a.network), writes, as_pair);
            CHECK(error == errc::conflict);
        },
        s);
    CHECK_FALSE(find(s.stored("book-0"), "unknown"));
    CHECK(find_integer(s.stored("book-0"), "pages") == 70);
    CHECK(find_integer(s.stored("book-1"), "pages") == 80);
}

TEST_CASE("in transactions: a check and a blind change may have conditions of their own") {
    const bool checks = GENERATE(false, true);
    shop s;
    s.in_a(
        [](shop& in, bool check) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            auto shelf = co_await make_books(books, 2);
            for (const auto most : {-1, 100}) {
                versioned_writes writes;
                const auto thin = attr("pages") < most;
                if (check)
                    writes.check(books, shelf[0], thin);
                else
                    writes.blind(books, "book-0", set("title", "x"), thin);
                writes.touch(books, shelf[1]);
                auto [error, done] = co_await save_all(database(in.a.network), writes, as_pair);
                CHECK(error == (most < 0 ? error_code(errc::condition_failed) : error_code()));
                CHECK_FALSE(done.saved(books, 0));
            }
        },
        s, checks);
    CHECK(s.stored_version("book-0") == (checks ? 1 : 2));
    CHECK(s.stored_version("book-1") == 2);
}

TEST_CASE("in transactions: a touch and a removal may have conditions of their own") {
    const bool removes = GENERATE(false, true);
    shop s;
    s.in_a(
        [](shop& in, bool removal) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            auto shelf = co_await make_books(books, 1);
            for (const auto most : {-1, 100}) {
                versioned_writes writes;
                const auto thin = attr("pages") < most;
                if (removal)
                    writes.remove(books, shelf[0], {.condition = thin});
                else
                    writes.touch(books, shelf[0], {.condition = thin});
                auto [error, done] = co_await save_all(database(in.a.network), writes, as_pair);
                CHECK(error == (most < 0 ? error_code(errc::condition_failed) : error_code()));
            }
        },
        s, removes);
    CHECK(s.stored("book-0").empty() == removes);
}
