// How the verbs behave: what they write, what they keep, what they respect.
// SPDX-License-Identifier: BSL-1.0
#include "book_shop.hpp"
#include "support/overloaded.hpp"

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

asio::awaitable<void> load_two(versioned<book> books, error_code& code) {
    std::vector<key_values> keys{key_values("book-1"), key_values("book-2")};
    auto done = co_await books.load_many(std::move(keys), as_pair);
    code = std::get<0>(done);
}

}  // namespace

TEST_CASE("load_many ends after a minute in which the service reads nothing") {
    shop s;
    auto network = std::make_shared<overloaded>(s.a.network);
    const auto begun = s.where.scheduler.now();
    error_code code;
    run(s.where, s.a, load_two({database(network), in_books()}, code));
    CHECK(code == errc::throttled);
    CHECK(s.where.scheduler.now() - begun <= 60s);
    CHECK(s.where.scheduler.now() - begun > 58s);
    CHECK(network->batches < 100);  // a second apart, or half of that
}

TEST_CASE("a save writes only what changed, and keeps attributes that the struct does not know") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto one = a_book();
            auto first = co_await books.create(one);
            // A newer program keeps more on the item, under the same version.
            auto wider = in.stored();
            wider.emplace("shelf", "B7");
            in.put(wider);
            auto loaded_again = co_await books.load(isbn);
            CHECK(find_string(loaded_again->attributes, "shelf"));
            loaded_again->value.note = "signed";
            auto saved = co_await books.save(*loaded_again);
            CHECK(*find_string(saved.attributes, "shelf") == "B7");
            saved.value.note.reset();
            co_await books.save(saved);
        },
        s);
    CHECK(*find_string(s.stored(), "shelf") == "B7");
    CHECK_FALSE(s.stored().contains("note"));
    CHECK(s.stored_version() == 3);
}

TEST_CASE("a changed save leaves a member alone that another wrote without raising the version; a whole one does not") {
    const auto scope = GENERATE(save_scope::changed, save_scope::whole);
    shop s;
    s.in_a(
        [](shop& in, save_scope how) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto one = a_book();
            auto first = co_await books.create(one);
            auto careless = in.stored();
            careless.insert_or_assign("title", "by a careless writer");
            in.put(careless);
            first.value.pages = 5;
            co_await books.save(first, {.scope = how});
        },
        s, scope);
    CHECK(*find_string(s.stored(), "title") == (scope == save_scope::changed ? "by a careless writer" : "Old Title"));
}

TEST_CASE("replace drops what the struct does not know") {
    shop s;
    s.put({{"isbn", isbn}, {"title", "x"}, {"pages", 1}, {"shelf", "B7"}, {"_lockF", 17}});
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            auto found = co_await books.load(isbn);
            auto replaced = co_await books.replace(*found);
            CHECK(replaced.version == 1);
        },
        s);
    CHECK_FALSE(s.stored().contains("shelf"));
    CHECK(s.stored().contains("_lockF"));
}

TEST_CASE("raw items: the value is the user's attributes, and one erased from it is removed") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto items = in.items(in.a);
            item fresh{{"isbn", isbn}, {"a", 1}, {"b", 2}};
            auto first = co_await items.create(fresh);
            CHECK(first.value == fresh);
            first.value.erase("a");
            first.value.insert_or_assign("c", 3);
            auto saved = co_await items.save(first);
            CHECK(saved.value == item{{"isbn", isbn}, {"b", 2}, {"c", 3}});
            auto found = co_await items.load(isbn);
            CHECK(found->value == saved.value);
            auto counted = co_await items.update(isbn, [](item value) {
                value.insert_or_assign("b", *find_integer(value, "b") + 40);
                return value;
            });
            CHECK(find_integer(counted.value, "b") == 42);
        },
        s);
}

TEST_CASE("an item that another library made is adopted by the first save, and safe from then on") {
    const auto version = GENERATE(std::optional<int>(), std::optional<int>(1), std::optional<int>(-1));
    shop s;
    item foreign{{"isbn", isbn}, {"title", "x"}, {"pages", 1}};
    if (version) foreign.emplace("version", *version);
    s.put(foreign);
    s.in_a(
        [](shop& in, std::optional<int> number) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            auto found = co_await books.load(isbn);
            CHECK(found->version == (number ? std::optional<std::int64_t>(*number) : std::nullopt));
            auto saved = co_await books.save(*found);
            CHECK(saved.version == (number ? *number + 1 : 1));
            CHECK(saved.born);
            auto [error, result] = co_await books.save(*found, as_pair);
            CHECK(error == errc::conflict);
        },
        s, version);
}

TEST_CASE("a version that came back with a new life is no match") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto one = a_book();
            auto first = co_await books.create(one);
            co_await books.remove(first);
            auto anew = co_await books.create(one);
            CHECK(anew.version == first.version);
            auto [error, result] = co_await books.save(first, as_pair);
            CHECK(error == errc::conflict);
        },
        s);
}

TEST_CASE("a revision stands for a loaded value") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto one = a_book();
            auto first = co_await books.create(one);
            const item_revision tag(first.revision());
            auto edited = first.value;
            edited.pages = 3;
            auto saved = co_await books.save(tag, edited);
            CHECK(saved.version == 2);
            CHECK(saved.value.pages == 3);
            auto [error, result] = co_await books.save(tag, edited, as_pair);
            CHECK(error == errc::conflict);
            const item_revision newer(saved.revision());
            co_await books.remove(newer, isbn);
            auto gone = co_await books.load(isbn);
            CHECK_FALSE(gone);
        },
        s);
}

TEST_CASE("an item that a lock holds is not written, and the holder is named") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto one = a_book();
            auto first = co_await books.create(one);
            auto held = in.stored();
            held.emplace("_lockW", "s1.7.0000000001");
            in.put(held);
            try {
                co_await books.save(first);
                FAIL("it was written");
            } catch (const conflict<book>& refused) {
                CHECK(refused.code() == errc::locked);
                CHECK(refused.condition() == condition::contended);
                CHECK(refused.holder().find("s1.7") != std::string::npos);
            }
            auto [error, result] = co_await books.save(first, {.ignore_lock = true}, as_pair);
            CHECK_FALSE(error);
        },
        s);
}

TEST_CASE("a condition of the caller's own is told apart from a conflict") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto one = a_book();
            auto first = co_await books.create(one);
            save_options thick;
            thick.condition = attr("pages") > 500;
            auto [error, result] = co_await books.save(first, thick, as_pair);
            CHECK(error == errc::condition_failed);
            save_options thin;
            thin.condition = attr("pages") < 500 || attribute_not_exists("pages");
            auto saved = co_await books.save(first, thin);
            CHECK(saved.version == 2);
            blind_options only_thick;
            only_thick.condition = attr("pages") > 500;
            const auto more = add("pages", 1);
            auto [blindly, nothing] = co_await books.blind(isbn, more, only_thick, as_pair);
            CHECK(blindly == errc::condition_failed);
        },
        s);
}

TEST_CASE("blind updates raise the version and the stamps: nobody saves over them") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto one = a_book();
            auto first = co_await books.create(one);
            in.a.network->clear_log();
            const auto change =
                add("pages", 5) + set("note", "counted") + dynalease::remove("title") + set("title", "x");
            const auto legal = add("pages", 5) + set("note", "counted") + set("title", "x");
            auto done = co_await books.blind(isbn, legal);
            CHECK(done.version == 2);
            CHECK(done.value.pages == 105);
            CHECK(done.value.note == "counted");
            CHECK(in.requests(in.a) == 1);
            auto [error, result] = co_await books.save(first, as_pair);
            CHECK(error == errc::conflict);
            auto [invalid, nothing] = co_await books.blind(isbn, change, as_pair);
            CHECK(invalid == errc::validation);
            auto [missing, none] = co_await books.blind("another", legal, as_pair);
            CHECK(missing == errc::missing);
        },
        s);
}

TEST_CASE("load_many keeps the order of its keys, whatever is missing or asked for twice") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            std::vector<key_values> keys;
            for (int i = 0; i < 120; ++i) {
                auto one = a_book("Volume", i);
                one.isbn = "book-" + std::to_string(i);
                if (i % 3 != 0) co_await books.create(one);
                keys.emplace_back(one.isbn);
            }
            keys.push_back(keys[1]);
            in.a.network->clear_log();
            auto found = co_await books.load_many(keys);
            CHECK(in.requests(in.a, "BatchGetItem") == 2);
            REQUIRE(found.size() == 121);
            for (std::size_t i = 0; i < 120; ++i) {
                CHECK(found[i].has_value() == (i % 3 != 0));
                if (found[i]) {
                    CHECK(found[i]->value.pages == static_cast<int>(i));
                }
            }
            CHECK(found[120]->value.pages == 1);
        },
        s);
}

TEST_CASE("tables with a sort key: the pair is the key") {
    shop s;
    s.where.apply(create_table_request{
        .table_name = "pages", .key = {.hash = {.name = "isbn"}, .range = key_attribute{"page", scalar_type::n}}});
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto options = in_books();
            options.table = "pages";
            options.sort_key = "page";
            auto pages = in.items(in.a, options);
            item first{{"isbn", isbn}, {"page", 7}, {"text", "x"}};
            auto made = co_await pages.create(first);
            const key_values key(isbn, 7);
            auto found = co_await pages.load(key);
            CHECK(found->value == first);
            auto [error, result] = co_await pages.update(isbn, [](item value) { return value; }, as_pair);
            CHECK(error == errc::bad_attribute);
            co_await pages.remove(*found);
        },
        s);
}

TEST_CASE("every verb takes callbacks, and the first load may be told to be consistent") {
    shop s;
    int calls = 0;
    s.in_a(
        [](shop& in, int& called) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto first = a_book();
            books.create(first, [&](error_code error, write_result<book> result) {
                CHECK_FALSE(error);
                CHECK(result.saved->version == 1);
                ++called;
            });
            co_await sleep(in.a, 1s);
            books.load(isbn, {}, [&](error_code error, std::optional<loaded<book>> found) {
                CHECK_FALSE(error);
                CHECK(found->value.pages == 100);
                ++called;
            });
            co_await sleep(in.a, 1s);
            auto [error, found] = co_await books.load("another", {.consistent = false}, as_pair);
            CHECK_FALSE(error);
            CHECK_FALSE(found);
        },
        s, calls);
    CHECK(calls == 2);
}
