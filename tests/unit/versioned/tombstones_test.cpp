// Tables whose removals leave tombstones: what was removed is gone, and every verb takes the place for empty.
// SPDX-License-Identifier: BSL-1.0
#include "book_shop.hpp"

#include <dynalease/item_lock.hpp>
#include <dynalease/versioned.hpp>

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

using testing::fault;
using kind = testing::fault::kind;

versioned_options burying() {
    auto options = in_books();
    options.removal = removal::tombstone;
    return options;
}

bool has_members(const item& stored) {
    return stored.contains("title") || stored.contains("pages") || stored.contains("note") || stored.contains("foreign");
}

}  // namespace

TEST_CASE("tombstones: a created item has nothing of the one that was removed before") {
    const bool by_revision = GENERATE(false, true);
    shop s;
    s.in_a(
        [](shop& in, bool revision) -> asio::awaitable<void> {
            auto books = in.books(in.a, burying());
            auto one = a_book();
            one.note = "of the first life";
            auto first = co_await books.create(one);
            const item_revision travelled(first.revision());
            auto removing = revision ? books.remove(travelled, isbn) : books.remove(first);
            co_await std::move(removing);
            CHECK_FALSE(has_members(in.stored()));
            const auto fresh = a_book("New", 1);
            auto made = co_await books.create(fresh);
            CHECK_FALSE(made.value.note);
            CHECK(made.attributes == in.stored());
        },
        s, by_revision);
    CHECK_FALSE(s.stored().contains("note"));
}

TEST_CASE("tombstones: an attribute that came between load and removal does not come back") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a, burying());
            const auto one = a_book();
            auto first = co_await books.create(one);
            auto now = in.stored();
            now["foreign"] = "x";
            in.put(now);
            co_await books.remove(first);
            co_await books.create(one);
        },
        s);
    CHECK_FALSE(s.stored().contains("foreign"));
    CHECK(s.stored().contains("title"));
}

TEST_CASE("tombstones: an item of more attributes than one request removes is removed whole") {
    const bool answered = GENERATE(true, false);
    const bool by_revision = GENERATE(true, false);
    shop s;
    item wide{{"isbn", isbn}, {"version", 1}};
    for (int i = 0; i < 600; ++i) wide["a" + std::to_string(i)] = i;
    s.put(wide);
    s.in_a(
        [](shop& in, bool hears, bool revision) -> asio::awaitable<void> {
            auto items = in.items(in.a, burying());
            auto one = co_await items.load(isbn);
            if (!hears) in.a.network->set_plan(testing::scripted_faults({fault{kind::lose_answer}}));
            const item_revision travelled(one->revision());
            auto removing = revision ? items.remove(travelled, isbn) : items.remove(*one);
            co_await std::move(removing);
            auto gone = co_await items.load(isbn);
            CHECK_FALSE(gone);
        },
        s, answered, by_revision);
    CHECK(s.stored().contains("_gone"));
    CHECK(s.stored().size() < 10);
}

TEST_CASE("tombstones: an item of more attributes than one update names is created over one") {
    const auto fate = GENERATE(kind::pass, kind::lose_answer, kind::lose_request);
    const bool jointly = GENERATE(false, true);
    shop s;
    s.in_a(
        [](shop& in, kind lost, bool together) -> asio::awaitable<void> {
            auto items = in.items(in.a, burying());
            item narrow{{"isbn", isbn}, {"old", 1}};
            auto first = co_await items.create(narrow);
            item_lock lock{*in.b.session, {"books", {{"isbn", isbn}}}};
            auto held = co_await lock.acquire();
            co_await held.release();
            co_await items.remove(first);
            const auto buried = in.stored();
            item wide{{"isbn", isbn}};
            for (int i = 0; i < 600; ++i) wide["a" + std::to_string(i)] = i;
            if (together) {
                versioned_writes writes;
                const auto place = writes.create(items, wide);
                in.a.network->set_plan(testing::scripted_faults({fault{}, fault{lost}}));
                auto done = co_await save_all(database(in.a.network), writes);
                CHECK(done.at(place).saved->attributes == in.stored());
            } else {
                in.a.network->set_plan(testing::scripted_faults({fault{}, fault{lost}}));
                auto made = co_await items.create(wide);
                CHECK(made.version == 3);
                CHECK(made.attributes == in.stored());
            }
            const auto now = in.stored();
            CHECK(now.size() == wide.size() + 5);
            CHECK_FALSE(now.contains("old"));
            // The life goes on, and with it what keeps late copies out.
            for (const auto* kept : {"_born", "_lockF"}) CHECK(now.at(kept) == buried.at(kept));
            auto loaded = co_await items.load(isbn);
            co_await items.touch(*loaded);
        },
        s, fate, jointly);
}

TEST_CASE("tombstones: every verb takes the place for empty") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a, burying());
            const auto one = a_book();
            auto first = co_await books.create(one);
            co_await books.remove(first);
            co_await books.clobber_remove(isbn);

            const auto any = a_book("Any");
            auto upserted = co_await books.clobber(any, clobber_options{.upsert = true});
            CHECK(upserted.value.title == "Any");
            CHECK(upserted.version == 3);
            CHECK_FALSE(in.stored().contains("ttl"));
            co_await books.remove(upserted);
            auto [refused, none] = co_await books.clobber(any, as_pair);
            CHECK(refused == errc::missing);

            versioned_writes writes;
            const auto place = writes.create(books, a_book("Joint"));
            auto done = co_await save_all(database(in.a.network), writes);
            CHECK(done.saved(books, place)->value.title == "Joint");
            CHECK(done.at(place).saved->attributes == in.stored());
            auto [there, result] = co_await save_all(database(in.a.network), writes, as_pair);
            CHECK(there == errc::exists);
        },
        s);
}

TEST_CASE("tombstones: a creation without an answer is not told as never made, though others remove for good") {
    const bool by_guard = GENERATE(true, false);
    shop s;
    error_code told;
    const auto creating = [](shop& in, error_code& out) -> asio::awaitable<void> {
        auto books = in.books(in.a, burying());
        const auto one = a_book("A's");
        in.a.network->set_plan(testing::scripted_faults({fault{kind::lose_answer}}));
        auto [error, result] = co_await books.create(one, as_pair);
        out = error;
    };
    const auto replacing = [](shop& in, bool guarded) -> asio::awaitable<void> {
        auto books = in.books(in.b, burying());
        while (in.stored().empty()) co_await sleep(in.b, 10ms);
        if (guarded) {
            item_lock lock{*in.b.session, {"books", {{"isbn", isbn}}}};
            auto held = co_await lock.acquire();
            co_await held.erase();
        } else {
            co_await books.clobber_remove(isbn);
        }
        const auto one = a_book("B's");
        co_await books.create(one);
    };
    running a(s.where, s.a, creating(s, told));
    running b(s.where, s.b, replacing(s, by_guard));
    b.wait();
    a.wait();
    CHECK(told == errc::in_doubt);
}
