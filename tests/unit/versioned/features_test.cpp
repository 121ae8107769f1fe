// Optimistic updates, one test for each feature by which mappers are compared.
// SPDX-License-Identifier: BSL-1.0
#include "book_shop.hpp"

#include <catch2/catch.hpp>

namespace dynalease::tests {

struct shelved {
    std::string isbn{};
    std::string title{};
    std::int64_t edition = 0;  ///< shows the version
};
BOOST_DESCRIBE_STRUCT(shelved, (), (isbn, title, edition))

}  // namespace dynalease::tests

template <>
struct dynalease::item_traits<dynalease::tests::shelved> : dynalease::default_item_traits {
    static constexpr std::string_view attribute_name(std::string_view member) {
        return member == "edition" ? "Edition" : member;
    }
    static constexpr auto version_member = &dynalease::tests::shelved::edition;
};

using namespace dynalease;
using namespace dynalease::tests;

TEST_CASE("version attribute: a member may show it, by a trait, and is never written from") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            versioned<shelved> books(database(in.a.network), in_books());
            const shelved first{.isbn = isbn, .title = "One", .edition = 77};
            auto created = co_await books.create(first);
            CHECK(created.value.edition == 1);
            created.value.edition = 99;
            auto saved = co_await books.save(created);
            CHECK(saved.value.edition == 2);
            CHECK(saved.version == 2);
        },
        s);
    CHECK(find_integer(s.stored(), "Edition") == 2);
    CHECK_FALSE(s.stored().contains("version"));
    CHECK_FALSE(s.stored().contains("edition"));
}

TEST_CASE("first stored value: 1 by default, and any integer by option") {
    const std::int64_t first = GENERATE(1, 0, -5, 1'000'000);
    shop s;
    s.in_a(
        [](shop& in, std::int64_t number) -> asio::awaitable<void> {
            auto options = in_books();
            options.first_version = number;
            auto books = in.books(in.a, options);
            const auto one = a_book();
            auto created = co_await books.create(one);
            CHECK(created.version == number);
            auto saved = co_await books.save(created);
            CHECK(saved.version == number + 1);
        },
        s, first);
    CHECK(s.stored_version() == first + 1);
}

TEST_CASE("absent check on create: the key must be free, whatever version stands there") {
    shop s;
    s.put({{"isbn", isbn}, {"title", "by another library, without a version"}, {"pages", 1}});
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto one = a_book();
            try {
                co_await books.create(one);
                FAIL("it was created over another");
            } catch (const conflict<book>& refused) {
                CHECK(refused.code() == errc::exists);
                REQUIRE(refused.current());
                CHECK(refused.current()->value.title == "by another library, without a version");
                CHECK_FALSE(refused.found());
            }
        },
        s);
    CHECK(s.requests(s.a) == 1);
}

TEST_CASE("skip/clobber: tests no version, and still raises it") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto one = a_book();
            auto first = co_await books.create(one);
            co_await books.touch(first);
            const auto other = a_book("Clobbered");
            auto clobbered = co_await books.clobber(other);
            CHECK(clobbered.version == 3);
            CHECK(clobbered.value.title == "Clobbered");
            // Whoever loaded before is told.
            auto [error, result] = co_await books.save(first, as_pair);
            CHECK(error == errc::conflict);
            auto again = co_await books.save(clobbered);
            CHECK(again.version == 4);
        },
        s);
}

TEST_CASE("skip/clobber: makes an item only if told so") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto one = a_book();
            auto [error, result] = co_await books.clobber(one, as_pair);
            CHECK(error == errc::missing);
            auto made = co_await books.clobber(one, {.upsert = true});
            CHECK(made.version == 1);
            auto saved = co_await books.save(made);
            CHECK(saved.version == 2);
        },
        s);
}

TEST_CASE("versioned delete: tests the version, and can be told not to") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto one = a_book();
            auto first = co_await books.create(one);
            auto second = co_await books.touch(first);
            auto [error, result] = co_await books.remove(first, as_pair);
            CHECK(error == errc::conflict);
            CHECK(result.expected == 1);
            CHECK(result.found == 2);
            co_await books.remove(second);
            auto gone = co_await books.load(isbn);
            CHECK_FALSE(gone);
            auto [missing, nothing] = co_await books.remove(second, as_pair);
            CHECK(missing == errc::missing);

            co_await books.create(one);
            co_await books.clobber_remove(isbn);
            auto gone_again = co_await books.load(isbn);
            CHECK_FALSE(gone_again);
        },
        s);
}

TEST_CASE("custom step/start: any, up to a limit of the table") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto options = in_books();
            options.first_version = 10;
            options.step = 5;
            options.version_limit = 20;
            auto books = in.books(in.a, options);
            const auto one = a_book();
            auto first = co_await books.create(one);
            auto second = co_await books.touch(first);
            auto third = co_await books.touch(second);
            CHECK(third.version == 20);
            const auto before = in.requests(in.a);
            diagnostics details;
            auto [error, result] = co_await books.touch(third, details, as_pair);
            CHECK(error == errc::version_overflow);
            CHECK(details.message.find("\"version\"") != std::string::npos);
            CHECK(in.requests(in.a) == before);
        },
        s);
}

TEST_CASE("force increment: touch raises the version and changes nothing else") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto one = a_book();
            auto first = co_await books.create(one);
            auto touched = co_await books.touch(first);
            CHECK(touched.version == 2);
            CHECK(touched.value.title == first.value.title);
            auto [error, result] = co_await books.save(first, as_pair);
            CHECK(error == errc::conflict);
        },
        s);
}

TEST_CASE("caller object: a save leaves its argument alone and returns the new value") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto one = a_book();
            const auto first = co_await books.create(one);
            auto changed = first;
            changed.value.title = "New Title";
            const auto saved = co_await books.save(changed);
            CHECK(changed.version == 1);
            CHECK(saved.version == 2);
            CHECK(saved.value.title == "New Title");
            // Saving the same argument twice is no second bump: it is a conflict, as it must be.
            auto [error, result] = co_await books.save(changed, as_pair);
            CHECK(error == errc::conflict);
        },
        s);
    CHECK(s.stored_version() == 2);
}

TEST_CASE("conflict error with current item: typed, with both versions, at no extra read") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto one = a_book();
            auto mine = co_await books.create(one);
            auto theirs = mine;
            theirs.value.title = "Changed By Someone Else";
            co_await books.save(theirs);
            mine.value.title = "New Title";
            in.a.network->clear_log();
            try {
                co_await books.save(mine);
                FAIL("a stale save went through");
            } catch (const conflict<book>& refused) {
                CHECK(refused.code() == errc::conflict);
                CHECK(refused.condition() == condition::conflict);
                CHECK(refused.expected() == 1);
                CHECK(refused.found() == 2);
                REQUIRE(refused.current());
                CHECK(refused.current()->value.title == "Changed By Someone Else");
                CHECK(refused.diagnostics().operation.find("versioned.save") == 0);
                CHECK(refused.diagnostics().key == isbn);
            }
            CHECK(in.requests(in.a) == 1);
        },
        s);
    CHECK(find(s.stored(), "title")->get() == attribute_value("Changed By Someone Else").get());
}

TEST_CASE("conflict error with current item: the current one can be changed and saved as it is") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto one = a_book();
            auto first = co_await books.create(one);
            co_await books.touch(first);
            in.a.network->clear_log();
            auto [error, result] = co_await books.save(first, as_pair);
            REQUIRE(error == errc::conflict);
            REQUIRE(result.current);
            result.current->value.pages = 7;
            auto saved = co_await books.save(*result.current);
            CHECK(saved.version == 3);
            CHECK(in.requests(in.a) == 2);
        },
        s);
}

TEST_CASE("retry loop function: two requests without contention, one more for each conflict") {
    const int conflicts = GENERATE(0, 1, 5);
    shop s;
    s.in_a(
        [](shop& in, int meet) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto one = a_book("Old Title", 0);
            auto first = co_await books.create(one);
            in.a.network->clear_log();
            int runs = 0;
            auto counted = co_await books.update(isbn, [&](book value) {
                if (runs++ < meet) {  // another gets in between
                    auto item = in.stored();
                    item.insert_or_assign("version", *find_integer(item, "version") + 1);
                    in.put(item);
                }
                ++value.pages;
                return value;
            });
            CHECK(runs == meet + 1);
            CHECK(counted.value.pages == 1);
            CHECK(counted.version == meet + 2);
            CHECK(in.requests(in.a) == static_cast<std::size_t>(2 + meet));
            CHECK(in.requests(in.a, "GetItem") == 1);
        },
        s, conflicts);
}

TEST_CASE("ambiguous-write check: a save whose answer was lost is neither a conflict nor saved twice") {
    const auto lost = GENERATE(testing::fault::kind::lose_answer, testing::fault::kind::lose_request,
                               testing::fault::kind::apply_twice);
    shop s;
    s.in_a(
        [](shop& in, testing::fault::kind what) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto one = a_book();
            auto first = co_await books.create(one);
            first.value.title = "New Title";
            in.a.network->set_plan(testing::scripted_faults({testing::fault{what}}));
            auto saved = co_await books.save(first);
            CHECK(saved.version == 2);
            CHECK(saved.value.title == "New Title");
        },
        s, lost);
    s.where.scheduler.run();
    CHECK(s.stored_version() == 2);
}
