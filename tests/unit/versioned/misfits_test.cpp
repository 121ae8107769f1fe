// Items that do not read as the struct: none is left out in silence, and none hides the others of its page.
// SPDX-License-Identifier: BSL-1.0
#include "book_shop.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

const item odd_title{{"isbn", "odd-title"}, {"title", 5}, {"pages", 1}, {"version", 3}};
const item odd_version{{"isbn", "odd-version"}, {"title", "T"}, {"pages", 1}, {"version", "seven"}};

/// Three books that fit, and two that do not.
void put_books_and_misfits(shop& s) {
    for (const auto* name : {"a", "b", "c"}) s.put({{"isbn", name}, {"title", name}, {"pages", 1}, {"version", 1}});
    s.put(odd_title);
    s.put(odd_version);
}

const misfit& of_key(const std::vector<misfit>& all, const char* name) {
    const item_key key{{"isbn", name}};
    const auto found = std::ranges::find(all, key, &misfit::key);
    REQUIRE(found != all.end());
    return *found;
}

void check_misfits(const std::vector<misfit>& found) {
    REQUIRE(found.size() == 2);
    const auto& title = of_key(found, "odd-title");
    CHECK(title.attributes == odd_title);
    CHECK(title.why.code() == errc::bad_attribute);
    CHECK(title.why.diagnostics().message == "title is stored as N, and must be S");
    CHECK(title.why.diagnostics().table == "books");
    CHECK(title.why.diagnostics().key == "odd-title");
    const auto& version = of_key(found, "odd-version");
    CHECK(version.attributes == odd_version);
    CHECK(version.why.code() == errc::bad_version);
    CHECK(version.why.diagnostics().key == "odd-version");
}

}  // namespace

TEST_CASE("a page gives the items that fit, and apart those that do not, each with key, attributes and reason") {
    shop s;
    put_books_and_misfits(s);
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            const auto books = in.books(in.a);
            loaded_pages found{books, scan_request{}};
            auto page = co_await found.next_with_misfits();
            REQUIRE(page);
            check_misfits(page->misfits);
            REQUIRE(page->values.size() == 3);
            for (auto& each : page->values) {
                each.value.pages = 9;
                auto saved = co_await books.save(each);
                CHECK(saved.version == 2);
            }
            auto end = co_await found.next_with_misfits();
            CHECK_FALSE(end);
        },
        s);
}

TEST_CASE("a page is refused whole where its misfits were not asked for, and is still to be had") {
    shop s;
    put_books_and_misfits(s);
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            loaded_pages found{in.books(in.a), scan_request{}};
            diagnostics details;
            auto [code, none] = co_await found.next(details, as_pair);
            CHECK((code == errc::bad_attribute || code == errc::bad_version));
            CHECK_FALSE(none);
            CHECK(details.key.starts_with("odd-"));
            CHECK(details.message.ends_with("(of this page 1 more do not fit)"));
            CHECK(details.advice.find("next_with_misfits") != std::string::npos);
            const auto before = in.requests(in.a);
            auto [again, page] = co_await found.next_with_misfits(as_pair);
            CHECK_FALSE(again);
            REQUIRE(page);
            check_misfits(page->misfits);
            CHECK(page->values.size() == 3);
            CHECK(in.requests(in.a) == before);
            auto end = co_await found.next_with_misfits();
            CHECK_FALSE(end);
        },
        s);
}

TEST_CASE("who goes on after a page that was refused gets the pages behind it") {
    shop s;
    put_books_and_misfits(s);
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            scan_request one_by_one;
            one_by_one.limit = 1;
            loaded_pages found{in.books(in.a), one_by_one};
            std::size_t refused = 0;
            std::size_t fitting = 0;
            while (!found.at_end()) {
                auto [code, page] = co_await found.next(as_pair);
                if (code) ++refused;
                if (page) fitting += page->size();
            }
            CHECK(refused == 2);
            CHECK(fitting == 3);
        },
        s);
}

TEST_CASE("items that came another way are sorted in the same way, without a request") {
    shop s;
    put_books_and_misfits(s);
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            const auto books = in.books(in.a);
            database raw(in.a.network);
            scan_request all{.table_name = "books"};
            auto found = co_await raw.execute(all);
            const auto before = in.requests(in.a);
            auto sorted = books.from_all(std::move(found.items));
            check_misfits(sorted.misfits);
            CHECK(sorted.values.size() == 3);
            CHECK(in.requests(in.a) == before);
        },
        s);
}

TEST_CASE("many keys give the items that fit, and apart those that do not, each with key, attributes and reason") {
    const auto batches = GENERATE(1U, 2U);
    shop s;
    put_books_and_misfits(s);
    s.in_a(
        [](shop& in, unsigned fill) -> asio::awaitable<void> {
            const auto books = in.books(in.a);
            std::vector<key_values> keys{"c", "odd-title", "none", "a", "odd-version", "b"};
            for (int i = 0; i < 100 * static_cast<int>(fill - 1); ++i) keys.emplace_back("none-" + std::to_string(i));
            auto found = co_await books.load_many_with_misfits(keys);
            check_misfits(found.misfits);
            REQUIRE(found.values.size() == 3);
            CHECK(found.values[0].value.isbn == "c");
            CHECK(found.values[1].value.isbn == "a");
            CHECK(found.values[2].value.isbn == "b");
            CHECK(in.requests(in.a) == fill);
            auto [code, same] = co_await books.load_many_with_misfits(keys, as_pair);
            CHECK_FALSE(code);
            check_misfits(same.misfits);
            found.values[0].value.pages = 9;
            auto saved = co_await books.save(found.values[0]);
            CHECK(saved.version == 2);
        },
        s, batches);
}

TEST_CASE("many keys are refused whole for one that does not fit, by its key, and with what gives the others") {
    shop s;
    put_books_and_misfits(s);
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            const auto books = in.books(in.a);
            for (const auto* odd : {"odd-title", "odd-version"}) {
                diagnostics details;
                const std::vector<key_values> keys{"a", odd, "b"};
                auto [code, none] = co_await books.load_many(keys, details, as_pair);
                CHECK((code == errc::bad_attribute || code == errc::bad_version));
                CHECK(none.empty());
                CHECK(details.key == odd);
                CHECK(details.table == "books");
                CHECK(details.advice.find("load_many_with_misfits") != std::string::npos);
            }
        },
        s);
}
