// What queries and scans find can be changed and saved as if it had been loaded.
// SPDX-License-Identifier: BSL-1.0
#include "book_shop.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <string>
#include <vector>

using namespace dynalease;
using namespace dynalease::tests;

TEST_CASE("the pages of a scan bring every item once, ready to be saved without another read") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            const auto books = in.books(in.a);
            for (int i = 0; i < 7; ++i) {
                const book one{.isbn = "isbn-" + std::to_string(i), .title = "Title", .pages = i};
                co_await books.create(one);
            }
            const auto before = in.requests(in.a);
            scan_request all;
            all.limit = 3;
            loaded_pages found{books, all};
            std::set<std::string> seen;
            std::size_t pages = 0;
            for (;;) {
                auto page = co_await found.next();
                if (!page) break;
                ++pages;
                for (auto& each : *page) {
                    seen.insert(each.value.isbn);
                    each.value.pages += 100;
                    auto saved = co_await books.save(each);
                    CHECK(saved.version == 2);
                }
            }
            CHECK(found.at_end());
            CHECK(seen.size() == 7);
            CHECK(in.requests(in.a) == before + pages + 7);
            auto [code, none] = co_await found.next(as_pair);
            CHECK_FALSE(code);
            CHECK_FALSE(none);
        },
        s);
    CHECK(find_integer(s.stored("isbn-6"), "pages") == 106);
}

TEST_CASE("a query of one partition goes by its conditions, and a stale page is a conflict and no loss") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            const auto books = in.books(in.a);
            const auto one = a_book();
            co_await books.create(one);
            query_request query{
                .table_name = "books", .key_condition_expression = "isbn = :i", .values = {{":i", isbn}}};
            loaded_pages found{books, query};
            auto page = co_await found.next();
            REQUIRE(page);
            REQUIRE(page->size() == 1);
            auto ours = page->front();
            auto theirs = co_await in.books(in.b).load(isbn);
            theirs->value.title = "Theirs";
            co_await in.books(in.b).save(*theirs);
            ours.value.title = "Ours";
            auto [code, told] = co_await books.save(ours, as_pair);
            CHECK(code == errc::conflict);
            REQUIRE(told.current);
            CHECK(told.current->value.title == "Theirs");
        },
        s);
}

TEST_CASE("an item that is no value of the struct is told with its key") {
    shop s;
    s.put({{"isbn", "odd"}, {"title", 5}, {"pages", 1}});
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            loaded_pages found{in.books(in.a), scan_request{}};
            diagnostics details;
            auto [code, page] = co_await found.next(details, as_pair);
            CHECK(code == errc::bad_attribute);
            CHECK(details.key == "odd");
        },
        s);
}

TEST_CASE("what came another way is as if it had been loaded") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            const auto books = in.books(in.a);
            const auto one = a_book();
            co_await books.create(one);
            auto found = books.from(in.stored());
            REQUIRE(found);
            CHECK(found->version == 1);
            found->value.pages = 7;
            auto saved = co_await books.save(*found);
            CHECK(saved.version == 2);
            // Without its version, as a projection may leave it.
            auto cut = in.stored();
            cut.erase("version");
            auto partial = books.from(cut);
            partial->value.pages = 8;
            auto [code, told] = co_await books.save(*partial, as_pair);
            CHECK(code == errc::conflict);
        },
        s);
    CHECK(find_integer(s.stored(), "pages") == 7);
}

TEST_CASE("whether there is an item is told without reading it as the struct") {
    shop s;
    s.put({{"isbn", "odd"}, {"title", 5}});
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            const auto books = in.books(in.a);
            const bool odd = co_await books.exists("odd");
            CHECK(odd);
            const bool none = co_await books.exists("nothing");
            CHECK_FALSE(none);
            auto [code, there] = co_await books.exists("odd", {.consistent = false}, as_pair);
            CHECK_FALSE(code);
            CHECK(there);
        },
        s);
    CHECK(s.requests(s.a, "GetItem") == 3);
}

TEST_CASE("a touch can demand more than the version") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            const auto books = in.books(in.a);
            const auto one = a_book();
            auto made = co_await books.create(one);
            touch_options long_book{.condition = attr("pages") > 500};
            auto [code, told] = co_await books.touch(made, long_book, as_pair);
            CHECK(code == errc::condition_failed);
            touch_options short_book{.condition = attr("pages") < 500};
            auto touched = co_await books.touch(made, short_book);
            CHECK(touched.version == 2);
        },
        s);
}
