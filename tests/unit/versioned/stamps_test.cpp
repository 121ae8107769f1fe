// Tables without stamps, and saves that ask for the item as it stands.
// SPDX-License-Identifier: BSL-1.0
#include "book_shop.hpp"

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

versioned_options without_stamps() {
    auto options = in_books();
    options.stamps = false;
    return options;
}

bool stamped(const item& stored) {
    return stored.contains("_stamp") || stored.contains("_trail");
}

}  // namespace

TEST_CASE("without stamps every verb works as with them, and leaves none") {
    for (const auto removal : {removal::erase, removal::tombstone}) {
        shop s;
        s.in_a(
            [](shop& in, dynalease::removal how) -> asio::awaitable<void> {
                auto options = without_stamps();
                options.removal = how;
                auto books = in.books(in.a, options);
                const auto one = a_book();
                auto made = co_await books.create(one);
                made.value.title = "Saved";
                auto saved = co_await books.save(made);
                CHECK(saved.attributes == in.stored());
                auto touched = co_await books.touch(saved);
                auto counted = co_await books.blind(isbn, add("pages", 1));
                CHECK(counted.version == 4);
                auto updated = co_await books.update(isbn, [](book value) {
                    value.note = "updated";
                    return value;
                });
                CHECK(updated.version == 5);
                const auto other = a_book("Clobbered");
                auto clobbered = co_await books.clobber(other);
                CHECK(clobbered.version == 6);
                CHECK_FALSE(stamped(in.stored()));
                auto [stale, result] = co_await books.save(touched, as_pair);
                CHECK(stale == errc::conflict);
                co_await books.remove(clobbered);
                auto again = co_await books.create(one);
                CHECK_FALSE(stamped(in.stored()));
                CHECK(again.value.title == one.title);
            },
            s, removal);
    }
}

TEST_CASE("without stamps a save that is refused after a lost answer is in doubt, and a creation is not") {
    using kind = testing::fault::kind;
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a, without_stamps());
            const auto one = a_book();
            in.a.network->set_plan(testing::scripted_faults({testing::fault{kind::lose_answer}}));
            auto made = co_await books.create(one);
            CHECK(made.version == 1);
            made.value.title = "Saved";
            in.a.network->set_plan(testing::scripted_faults({testing::fault{kind::lose_answer}}));
            auto [error, result] = co_await books.save(made, as_pair);
            CHECK(error == errc::in_doubt);
            REQUIRE(result.pending);
            auto resolved = co_await result.pending.resolve();
            CHECK(resolved.verdict == resolution::open);
            REQUIRE(resolved.current);
            CHECK(resolved.current->value.title == "Saved");
            // What was never applied is sent again, and then it is.
            in.a.network->set_plan(testing::scripted_faults({testing::fault{kind::lose_request}}));
            auto next = co_await books.save(*resolved.current);
            CHECK(next.version == 3);
        },
        s);
}

TEST_CASE("stamps that stood there before are not taken for those of a write that left none") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto stamping = in.books(in.a);
            auto bare = in.books(in.b, without_stamps());
            const auto one = a_book();
            auto first = co_await stamping.create(one);
            auto mine = first;
            mine.value.title = "Mine";
            in.a.network->set_plan(testing::scripted_faults({testing::fault{testing::fault::kind::lose_answer}}));
            // Between the two copies of the save another writes without leaving a stamp.
            running saves(in.where, in.a, [](versioned<book> books, loaded<book> value) -> asio::awaitable<void> {
                auto [error, result] = co_await books.save(value, as_pair);
                CHECK(error == errc::in_doubt);
            }(stamping, mine));
            while (in.stored_version() == 1) co_await sleep(in.b, 1ms);
            auto seen = co_await bare.load(isbn);
            co_await bare.touch(*seen);
            while (!saves.done()) co_await sleep(in.b, 100ms);
            saves.wait();
            CHECK_FALSE(stamped(in.stored()));
        },
        s);
}

TEST_CASE("a save returns the item as it stands if told so, at the same cost") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto one = a_book();
            auto made = co_await books.create(one);
            auto foreign = in.stored();
            foreign.insert_or_assign("note", "by a writer that knows no versions");
            in.put(foreign);
            in.a.network->clear_log();
            made.value.pages = 5;
            auto unaware = co_await books.save(made);
            CHECK_FALSE(unaware.value.note);
            unaware.value.pages = 6;
            auto aware = co_await books.save(unaware, {.read_back = true});
            CHECK(aware.value.note == "by a writer that knows no versions");
            CHECK(aware.value.pages == 6);
            CHECK(in.requests(in.a) == 2);
        },
        s);
}
