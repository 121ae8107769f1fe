// Members that are sets: DynamoDB has no empty ones, and a struct has.
// SPDX-License-Identifier: BSL-1.0
#include "book_shop.hpp"

#include <dynalease/versioned.hpp>

#include <catch2/catch.hpp>

#include <map>
#include <set>
#include <string>

namespace empty_sets {

struct shelf {
    std::set<int> places{};
};
BOOST_DESCRIBE_STRUCT(shelf, (), (places))

struct tagged {
    std::string isbn{};
    std::set<std::string> tags{"new"};
    shelf stands{};
    std::map<std::string, std::set<int>> lent{};
};
BOOST_DESCRIBE_STRUCT(tagged, (), (isbn, tags, stands, lent))

struct growing {
    std::string isbn{};
    std::set<std::string> tags{"new"};
};
BOOST_DESCRIBE_STRUCT(growing, (), (isbn, tags))

}  // namespace empty_sets

template <>
struct dynalease::item_traits<empty_sets::growing> : dynalease::default_item_traits {
    static constexpr bool keeps_defaults = true;
};

using namespace dynalease;
using namespace dynalease::tests;
using empty_sets::growing;
using empty_sets::tagged;

TEST_CASE("an empty set among the members is no attribute, and no attribute is an empty set") {
    shop s;
    s.put({{"isbn", isbn}, {"tags", string_set{"a", "b"}}, {"stands", attribute_map{{"places", number_set{7}}}},
           {"lent", attribute_map{}}});
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            const versioned<tagged> books{database(in.a.network), in_books()};
            auto found = co_await books.load(isbn);
            REQUIRE(found);
            CHECK(found->value.tags.size() == 2);
            found->value.tags.clear();
            found->value.stands.places.clear();
            auto saved = co_await books.save(*found);
            CHECK(saved.value.tags.empty());
            CHECK_FALSE(in.stored().contains("tags"));
            auto again = co_await books.load(isbn);
            CHECK(again->value.tags.empty());
            CHECK(again->value.stands.places.empty());
            const auto tag = [](tagged each) {
                each.tags.insert("c");
                return each;
            };
            again = co_await books.update(isbn, tag);
            CHECK(again->value.tags == std::set<std::string>{"c"});
            CHECK(in.stored().at("tags") == attribute_value(string_set{"c"}));
        },
        s);
    CHECK(s.stored().at("stands") == attribute_value(attribute_map{}));
}

TEST_CASE("an empty set that can be no attribute, or would be taken for a default, is refused by its place") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            const versioned<tagged> books{database(in.a.network), in_books()};
            diagnostics why;
            tagged inside{.isbn = isbn};
            inside.lent["ann"];
            auto [refused, none] = co_await books.create(inside, why, as_pair);
            CHECK(refused == errc::bad_attribute);
            CHECK_THAT(why.message, Catch::StartsWith("lent.ann is an empty set"));
            const versioned<growing> others{database(in.a.network), in_books()};
            growing bare{.isbn = isbn};
            bare.tags.clear();
            auto [kept, nothing] = co_await others.create(bare, why, as_pair);
            CHECK(kept == errc::bad_attribute);
        },
        s);
    CHECK(s.stored().empty());
}

TEST_CASE("what an update makes of a struct and no item can hold is the update's own failure") {
    shop s;
    s.put({{"isbn", isbn}, {"tags", string_set{"a"}}, {"stands", attribute_map{}}, {"lent", attribute_map{}}});
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            const versioned<tagged> books{database(in.a.network), in_books()};
            const auto lend = [](tagged each) {
                each.lent["ann"];
                return each;
            };
            diagnostics why;
            try {
                co_await books.update(isbn, lend);
                FAIL("it was stored");
            } catch (const error& by) {
                why = by.diagnostics();
            }
            CHECK(why.operation == "versioned.update");
            CHECK(why.table == "books");
            CHECK(why.key == isbn);
            CHECK_THAT(why.message, Catch::StartsWith("lent.ann is an empty set"));
        },
        s);
}

TEST_CASE("a write that was applied and shows no struct says which it was") {
    shop s;
    s.put({{"isbn", isbn}, {"title", 7}, {"pages", 1}});
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            diagnostics why;
            auto books = in.books(in.a);
            try {
                co_await books.blind(isbn, add("pages", 1));
                FAIL("it is a struct");
            } catch (const applied_unread& by) {
                why = by.diagnostics();
            }
            CHECK(why.operation == "versioned.blind");
            CHECK(why.table == "books");
            CHECK(why.key == isbn);
        },
        s);
    CHECK(find_integer(s.stored(), "pages") == 2);
}
