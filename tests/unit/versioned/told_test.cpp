// What callers are told is what happened: applied as applied, refused as refused, and each refusal by its reason.
// SPDX-License-Identifier: BSL-1.0
#include "book_shop.hpp"

#include <dynalease/dynamodb/expression.hpp>
#include <dynalease/versioned.hpp>

#include <catch2/catch.hpp>

#include <stdexcept>

namespace told {

struct counter {
    std::string isbn{};
    std::int64_t hits{};
    std::string owner{};
};
BOOST_DESCRIBE_STRUCT(counter, (), (isbn, hits, owner))

/// Of a table whose key the program has elsewhere.
struct keyless {
    std::string title{};
    int pages{};
};
BOOST_DESCRIBE_STRUCT(keyless, (), (title, pages))

struct odd {
    std::string text{};
};
struct holder {
    std::string isbn{};
    odd what{};
};
BOOST_DESCRIBE_STRUCT(holder, (), (isbn, what))

}  // namespace told

template <>
struct dynalease::attribute_traits<told::odd> {
    static attribute_value to_attribute(const told::odd& value, const mapping_place&) { return value.text; }
    static told::odd from_attribute(const attribute_value& stored, const mapping_place&) {
        if (!stored.is<std::string>()) throw std::invalid_argument("no text");
        return {*stored.get_if<std::string>()};
    }
};

using namespace dynalease;
using namespace dynalease::tests;

namespace {

using testing::fault;
using kind = testing::fault::kind;

constexpr auto pair_of_any = asio::as_tuple(asio::deferred);

/// What is thrown by it; success: nothing.
template <class Value>
asio::awaitable<std::pair<error_code, std::string>> thrown_by(asio::awaitable<Value> verb) {
    try {
        co_await std::move(verb);
    } catch (const error& why) {
        co_return std::pair(why.code(), std::string(why.what()));
    }
    co_return std::pair(error_code(), std::string());
}

void lock_for_another(shop& in) {
    auto now = in.stored();
    now["_lockW"] = "other.1.0000000000";
    in.put(now);
}

}  // namespace

TEST_CASE("told: a write that was applied is told so, though what stands there does not fit the struct") {
    shop s;
    s.put({{"isbn", isbn}, {"hits", 0}, {"owner", 5}, {"version", 1}});
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            versioned<told::counter> table{database(in.a.network), in_books()};
            const auto more = add("hits", 1);
            auto awaiting = thrown_by(table.blind(isbn, more));
            const auto [code, text] = co_await std::move(awaiting);
            CHECK(code == condition::in_doubt);
            CHECK(text.find("the write was applied") != std::string::npos);
            CHECK(text.find("never answered") == std::string::npos);
            CHECK(text.find("owner is stored as N") != std::string::npos);
            auto [error, result] = co_await table.blind(isbn, more, pair_of_any);
            CHECK_FALSE(error);
            CHECK_FALSE(result.saved);
            CHECK(result.unread.find("owner is stored as N") != std::string::npos);
        },
        s);
    CHECK(find_integer(s.stored(), "hits") == 2);
}

TEST_CASE("told: an exact blind update whose item cannot be read at once reads it again") {
    shop s;
    s.put({{"isbn", isbn}, {"hits", 0}, {"owner", "x"}, {"version", 1}});
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            versioned<told::counter> table{database(in.a.network), in_books()};
            const auto more = add("hits", 1);
            const blind_options how{.exact = true};
            in.a.network->set_plan(testing::scripted_faults({fault{kind::pass}, fault{kind::lose_request}}));
            auto done = co_await table.blind(isbn, more, how);
            CHECK(done.value.hits == 1);
            // ... but not for ever.
            in.a.network->set_plan([](const any_request& request, const call_options&) {
                return fault{is_write(request) ? kind::pass : kind::lose_request};
            });
            auto awaiting = thrown_by(table.blind(isbn, more, how));
            const auto [code, text] = co_await std::move(awaiting);
            CHECK(code == condition::in_doubt);
            CHECK(text.find("the write was applied") != std::string::npos);
        },
        s);
    CHECK(find_integer(s.stored(), "hits") == 2);
}

TEST_CASE("told: an exact blind update is not sent again when the service may have forgotten its token") {
    shop s;
    error_code code;
    const auto adding = [](shop& in, error_code& out) -> asio::awaitable<void> {
        auto options = in_books();
        options.resolve_within = 30min;
        auto books = in.books(in.a, options);
        const auto more = add("pages", 1);
        const blind_options how{.exact = true};
        bool first = true;
        const auto back = in.a.environment.clock->now() + 11min;
        in.a.network->set_plan([&in, back, first](const any_request&, const call_options&) mutable {
            if (std::exchange(first, false)) return fault{kind::lose_answer};
            return fault{in.a.environment.clock->now() < back ? kind::lose_request : kind::pass};
        });
        auto [error, result] = co_await books.blind(isbn, more, how, as_pair);
        out = error;
    };
    const auto touching = [](shop& in) -> asio::awaitable<void> {
        auto books = in.books(in.b);
        for (int i = 0; i < 5; ++i) {
            co_await sleep(in.b, 10s);
            auto now = co_await books.load(isbn);
            co_await books.touch(*now);
        }
    };
    s.put({{"isbn", isbn}, {"title", "x"}, {"pages", 0}, {"version", 1}});
    running meanwhile(s.where, s.b, touching(s));
    run(s.where, s.a, adding(s, code), 2h);
    CHECK(code == errc::in_doubt);
    CHECK(find_integer(s.stored(), "pages") == 1);
}

TEST_CASE("told: an update of one key never writes another") {
    const bool there = GENERATE(false, true);
    shop s;
    s.in_a(
        [](shop& in, bool other_is_there) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const book other{.isbn = "key-b", .title = "mine"};
            if (other_is_there) co_await books.create(other);
            const auto elsewhere = [](book value) {
                value.isbn = "key-b";
                value.title = "of another key";
                return value;
            };
            auto [error, result] = co_await books.update("key-a", elsewhere, update_options{.create = true}, as_pair);
            CHECK(error == errc::bad_attribute);
            CHECK(in.requests(in.a, "PutItem") == (other_is_there ? 1 : 0));
        },
        s, there);
    CHECK(s.stored("key-a").empty());
    CHECK(s.stored("key-b").contains("title") == there);
}

TEST_CASE("told: a false condition is told as such, also on a locked item if locks are ignored") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto one = a_book();
            auto first = co_await books.create(one);
            lock_for_another(in);
            save_options how{.condition = attr("pages") > 1000, .ignore_lock = true};
            auto [error, result] = co_await books.save(first, how, as_pair);
            CHECK(error == errc::condition_failed);
            blind_options ignoring{.condition = attr("pages") > 1000, .ignore_lock = true};
            const auto more = add("pages", 1);
            auto [blind, none] = co_await books.blind(isbn, more, ignoring, as_pair);
            CHECK(blind == errc::condition_failed);
            // An update that ignores locks does not wait for one.
            in.a.network->clear_log();
            auto updated = co_await books.update(
                isbn,
                [](book value) {
                    value.pages = 1;
                    return value;
                },
                update_options{.ignore_lock = true});
            CHECK(updated.value.pages == 1);
            CHECK(in.requests(in.a) == 2);
        },
        s);
}

TEST_CASE("told: by revision, too, a locked item is locked, whoever wrote it first") {
    shop s;
    s.put({{"isbn", isbn}, {"title", "T"}, {"pages", 1}});
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto more = add("pages", 1);
            auto first = co_await books.blind(isbn, more);
            REQUIRE_FALSE(first.born);
            lock_for_another(in);
            const item_revision revision(first.revision());
            auto [error, result] = co_await books.save(revision, first.value, as_pair);
            CHECK(error == errc::locked);
        },
        s);
}

TEST_CASE("told: a conflict is one although what stands there makes a trait throw") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            versioned<told::holder> table{database(in.a.network), in_books()};
            const told::holder one{.isbn = isbn, .what = {"good"}};
            auto first = co_await table.create(one);
            auto now = in.stored();
            now["what"] = 7;
            now["version"] = 2;
            in.put(now);
            auto [error, result] = co_await table.save(first, pair_of_any);
            CHECK(error == errc::conflict);
            auto awaiting = thrown_by(table.save(first));
            const auto [code, text] = co_await std::move(awaiting);
            CHECK(code == errc::conflict);
            auto [unread, none] = co_await table.load(isbn, {}, pair_of_any);
            CHECK(unread == errc::bad_attribute);
        },
        s);
}

TEST_CASE("told: one bad item among many is named by table and key") {
    shop s;
    s.put({{"isbn", "b1"}, {"title", "T"}, {"pages", 1}});
    s.put({{"isbn", "b2"}, {"title", 7}, {"pages", 1}});
    s.put({{"isbn", "b3"}, {"title", "T"}, {"pages", 1}, {"version", "x"}});
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            for (const auto* bad : {"b2", "b3"}) {
                std::vector<key_values> keys{"b1", bad};
                auto awaiting = thrown_by(books.load_many(keys));
                const auto [code, text] = co_await std::move(awaiting);
                CHECK(text.find("table books, key " + std::string(bad)) != std::string::npos);
            }
            auto awaiting = thrown_by(books.load("b2"));
            const auto [code, text] = co_await std::move(awaiting);
            CHECK(text.find("title is stored as N") != std::string::npos);
            CHECK(text.find("table books, key b2") != std::string::npos);
        },
        s);
}

TEST_CASE("told: an item that the library's own attributes push over 400 KB is too large") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            auto one = a_book();
            one.title = std::string(409'600 - 60, 'x');
            auto [created, a] = co_await books.create(one, as_pair);
            CHECK(created == errc::item_too_large);
            in.put({{"isbn", isbn}, {"title", one.title}, {"pages", 1}});
            in.a.network->clear_log();
            auto found = co_await books.load(isbn);
            auto [touched, b] = co_await books.touch(*found, as_pair);
            CHECK(touched == errc::item_too_large);
            CHECK(in.requests(in.a) == 1);
            // What only the service can know.
            const auto more = add("pages", 1);
            auto [blind, c] = co_await books.blind(isbn, more, as_pair);
            CHECK(blind == errc::item_too_large);
        },
        s);
}

TEST_CASE("told: a struct without the key's members is loaded and saved, and created where the key is said") {
    shop s;
    s.put({{"isbn", isbn}, {"title", "T"}, {"pages", 1}});
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            versioned<told::keyless> table{database(in.a.network), in_books()};
            auto one = co_await table.load(isbn);
            one->value.pages = 2;
            auto saved = co_await table.save(*one);
            CHECK(saved.value.pages == 2);
            const auto titled = [](told::keyless value) {
                value.title = "New";
                return value;
            };
            co_await table.update("other", titled, update_options{.create = true});
            CHECK(*find_string(in.stored("other"), "title") == "New");
            auto [error, result] = co_await table.create(one->value, pair_of_any);
            CHECK(error == errc::bad_attribute);
        },
        s);
    CHECK(find_integer(s.stored(), "pages") == 2);
}

TEST_CASE("told: a blind update does not raise a version above the table's limit") {
    shop s;
    s.put({{"isbn", isbn}, {"title", "T"}, {"pages", 1}, {"version", 7}});
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto options = in_books();
            options.version_limit = 8;
            auto books = in.books(in.a, options);
            const auto more = add("pages", 1);
            co_await books.blind(isbn, more);
            auto [error, result] = co_await books.blind(isbn, more, as_pair);
            CHECK(error == errc::version_overflow);
            versioned_writes writes;
            writes.blind(books, isbn, more);
            auto [joint, none] = co_await save_all(database(in.a.network), writes, pair_of_any);
            CHECK(joint == errc::version_overflow);
        },
        s);
    CHECK(s.stored_version() == 8);
}

TEST_CASE("told: a refusal after a copy of the same call without an answer closes nothing") {
    shop s;
    error_code created;
    const auto creating = [](shop& in, error_code& out) -> asio::awaitable<void> {
        auto books = in.books(in.a);
        fault late{kind::lose_answer};
        late.before = 60s;
        late.again = 1s;
        in.a.network->set_plan(testing::scripted_faults({late}));
        const auto one = a_book("A's");
        auto [error, result] = co_await books.create(one, as_pair);
        out = error;
    };
    const auto coming_and_going = [](shop& in) -> asio::awaitable<void> {
        auto books = in.books(in.b);
        const auto one = a_book("B's");
        auto made = co_await books.create(one);
        co_await sleep(in.b, 30s);
        co_await books.remove(made);
    };
    running b(s.where, s.b, coming_and_going(s));
    running a(s.where, s.a, creating(s, created));
    a.wait();
    b.wait();
    CHECK(created == errc::in_doubt);
    s.where.scheduler.run_for(2min);
    CHECK(*find_string(s.stored(), "title") == "A's");
}

TEST_CASE("told: a write whose first copy in the call was lost, or applied, is told as applied") {
    const auto lost = GENERATE(kind::lose_answer, kind::lose_request);
    shop s;
    s.in_a(
        [](shop& in, kind what) -> asio::awaitable<void> {
            auto options = in_books();
            options.removal = removal::tombstone;  // an erased item does not say who erased it
            auto books = in.books(in.a, options);
            fault first{what};
            first.again = 10ms;
            const auto lossy = [&] { in.a.network->set_plan(testing::scripted_faults({first})); };
            const auto one = a_book();
            lossy();
            auto made = co_await books.create(one);
            made.value.pages = 5;
            lossy();
            auto saved = co_await books.save(made);
            CHECK(saved.version == 2);
            lossy();
            co_await books.remove(saved);
        },
        s, lost);
    CHECK(s.stored().contains("_gone"));
}
