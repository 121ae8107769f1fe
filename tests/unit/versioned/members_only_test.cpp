// A smaller struct over the same table: what is read is what it has members for, and a save loses nothing.
// SPDX-License-Identifier: BSL-1.0
#include "book_shop.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace library_desk {

struct summary {
    std::string isbn{};
    std::string title{};
};
BOOST_DESCRIBE_STRUCT(summary, (), (isbn, title))

}  // namespace library_desk

using namespace dynalease;
using namespace dynalease::tests;
using library_desk::summary;

namespace {

versioned<summary> summaries(node& in, versioned_options options = in_books()) {
    return {database(in.network), std::move(options)};
}

constexpr load_options narrow{.members_only = true};

/// A book that its writers have written a few times, so that all attributes of the library stand on it.
void put_worked_book(shop& s) {
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            const auto books = in.books(in.a);
            auto one = a_book();
            one.note = std::string("long");
            auto now = co_await books.create(one);
            for (int i = 0; i < 4; ++i) {
                now.value.pages += 1;
                now = co_await books.save(now);
            }
        },
        s);
}

}  // namespace

TEST_CASE("a read of members only brings these and the state, and is saved without harm to the rest") {
    shop s;
    put_worked_book(s);
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            const auto table = summaries(in.a);
            auto found = co_await table.load(isbn, narrow);
            REQUIRE(found);
            CHECK(found->partial);
            CHECK(found->value.title == "Old Title");
            CHECK(found->version == 5);
            CHECK(found->trail.size() == 3);
            CHECK_FALSE(found->attributes.contains("pages"));
            CHECK_FALSE(found->attributes.contains("note"));
            found->value.title = "New Title";
            auto saved = co_await table.save(*found);
            CHECK(saved.partial);
            CHECK(saved.version == 6);
            saved.value.title = "Newer";
            co_await table.save(saved);
            auto [code, told] = co_await table.save(*found, as_pair);
            CHECK(code == errc::conflict);
        },
        s);
    CHECK(find_integer(s.stored(), "pages") == 104);
    CHECK(*find_string(s.stored(), "note") == "long");
    CHECK(*find_string(s.stored(), "title") == "Newer");
}

TEST_CASE("a lost answer to a save of a value that was read in part is no conflict") {
    shop s;
    put_worked_book(s);
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            const auto table = summaries(in.a);
            auto found = co_await table.load(isbn, narrow);
            found->value.title = "New Title";
            using testing::fault;
            in.a.network->set_plan(testing::scripted_faults({fault{fault::kind::lose_answer}}));
            auto saved = co_await table.save(*found);
            CHECK(saved.version == 6);
        },
        s);
}

TEST_CASE("many, queries and scans read members only, too") {
    shop s;
    put_worked_book(s);
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            const auto table = summaries(in.a);
            std::vector<key_values> keys{isbn, "none"};
            auto many = co_await table.load_many(keys, narrow);
            REQUIRE(many.front());
            CHECK(many.front()->partial);
            CHECK_FALSE(many.front()->attributes.contains("pages"));
            CHECK_FALSE(many.back());

            scan_request all;
            table.only_members(all);
            loaded_pages found{table, all};
            auto page = co_await found.next();
            REQUIRE(page);
            REQUIRE(page->size() == 1);
            CHECK(page->front().partial);
            CHECK_FALSE(page->front().attributes.contains("pages"));
            page->front().value.title = "By a scan";
            auto saved = co_await table.save(page->front());
            CHECK(saved.version == 6);
        },
        s);
    CHECK(find_integer(s.stored(), "pages") == 104);
}

TEST_CASE("what was read in part is not replaced, for nobody knows what would go") {
    shop s;
    put_worked_book(s);
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            const auto table = summaries(in.a);
            auto found = co_await table.load(isbn, narrow);
            diagnostics details;
            auto [code, told] = co_await table.replace(*found, details, as_pair);
            CHECK(code == errc::invalid_option);
            CHECK(details.message.find("load it whole") != std::string::npos);
            auto whole = co_await table.load(isbn);
            co_await table.replace(*whole);
        },
        s);
    CHECK_FALSE(s.stored().contains("pages"));
}

TEST_CASE("a tombstone of what was read in part keeps nothing of the rest") {
    shop s;
    put_worked_book(s);
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto options = in_books();
            options.removal = removal::tombstone;
            const auto table = summaries(in.a, options);
            auto found = co_await table.load(isbn, narrow);
            co_await table.remove(*found);
        },
        s);
    CHECK(s.stored().contains("_gone"));
    CHECK_FALSE(s.stored().contains("pages"));
    CHECK_FALSE(s.stored().contains("title"));
}
