// What another does between a write and its answer: what callers are told stays true.
// SPDX-License-Identifier: BSL-1.0
#include "book_shop.hpp"

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {
using testing::fault;
using kind = testing::fault::kind;
}  // namespace

TEST_CASE("an exact blind update is reported as applied though its item was removed before it could be read") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto options = in_books();
            options.removal = removal::tombstone;
            auto books = in.books(in.a, options);
            auto theirs = in.books(in.b, options);
            const auto one = a_book();
            co_await books.create(one);
            // The answer travels long enough for another to remove the item.
            fault slow{kind::pass};
            slow.after = 500ms;
            in.a.network->set_plan(testing::scripted_faults({slow}));
            auto pay = [](versioned<book> table) -> asio::awaitable<void> {
                const auto more = add("pages", 1);
                auto [error, result] = co_await table.blind(isbn, more, {.exact = true}, as_pair);
                CHECK_FALSE(error);
                CHECK_FALSE(result.saved);
            };
            running paying(in.where, in.a, pay(books));
            co_await sleep(in.b, 100ms);
            auto now = co_await theirs.load(isbn);
            CHECK(now->value.pages == 101);
            co_await theirs.remove(*now);
            co_await sleep(in.b, 5s);
            paying.wait();
        },
        s);
}

TEST_CASE("an update behind a lock is applied once, though the network copies what the lock refused") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            auto theirs = in.books(in.b);
            const auto one = a_book("Counter", 0);
            co_await books.create(one);
            auto locked = in.stored();
            locked.emplace("_lockW", "another.1.0000000001");
            in.put(locked);
            // The first try is refused, and its copy comes when the lock has gone, together with another's write.
            fault doubled{kind::apply_twice};
            doubled.copy = 300ms;
            in.b.network->set_plan([writes = 0, doubled](const any_request& request, const call_options&) mutable {
                if (!is_write(request) || writes++ > 0) return fault{};
                return doubled;
            });
            auto count = [](versioned<book> table) -> asio::awaitable<void> {
                co_await table.update(isbn, [](book value) {
                    ++value.pages;
                    return value;
                });
            };
            running counting(in.where, in.b, count(theirs));
            co_await sleep(in.a, 10ms);
            locked.erase("_lockW");
            in.b.process->pause();
            in.put(locked);
            co_await sleep(in.a, 1s);
            CHECK(find_integer(in.stored(), "pages") == 1);
            in.b.process->resume();
            co_await sleep(in.a, 5s);
            counting.wait();
        },
        s);
    CHECK(find_integer(s.stored(), "pages") == 1);
    CHECK(s.stored_version() == 2);
}

TEST_CASE("an update behind one lock after another is done once a look shows its own stamp, and is not written twice") {
    const auto seed = GENERATE(range(1, 5));
    shop s(static_cast<std::uint64_t>(seed) * 10);
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            const auto books = in.books(in.a);
            const auto theirs = in.books(in.b);
            const auto one = a_book();
            co_await books.create(one);
            auto locked = in.stored();
            locked.emplace("_lockW", "another.1.0000000001");
            in.put(locked);
            // The network sends the refused write once more, when the first lock has gone.
            fault doubled{kind::apply_twice};
            doubled.copy = 300ms;
            in.b.network->set_plan(testing::scripted_faults({fault{}, doubled}));
            auto count = [](versioned<book> table) -> asio::awaitable<void> {
                const auto counted = [](book value) { return ++value.pages, value; };
                co_await table.update(isbn, counted);
            };
            running counting(in.where, in.b, count(theirs));
            co_await sleep(in.a, 295ms);
            auto freed = in.stored();
            CHECK(freed.erase("_lockW") == 1);
            in.put(freed);
            for (int i = 0; i < 100 && find_integer(in.stored(), "pages") != 101; ++i) co_await sleep(in.a, 1ms);
            if (!counting.done()) {
                auto next = in.stored();
                next.insert_or_assign("_lockW", "another.2.0000000001");
                in.put(next);
                co_await sleep(in.a, 2s);
                // Guarded writes push it out of the trail.
                auto later = in.stored();
                later.insert_or_assign("version", find_integer(later, "version").value() + 2);
                later.insert_or_assign("_stamp", binary(12, std::byte{101}));
                later.insert_or_assign("_trail", binary(12, std::byte{100}));
                later.erase("_lockW");
                in.put(later);
            }
            co_await sleep(in.a, 5s);
            counting.wait();
            CHECK(find_integer(in.stored(), "pages") == 101);
        },
        s);
}
