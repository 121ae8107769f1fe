// Updates that take the item's lock after too many conflicts.
// SPDX-License-Identifier: BSL-1.0
#include "book_shop.hpp"
#include "support/lost_answers.hpp"

#include <dynalease/item_lock.hpp>
#include <dynalease/lock.hpp>

#include <catch2/catch.hpp>

#include <stdexcept>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

item_ref the_book() {
    return {"books", {{"isbn", isbn}}};
}

asio::awaitable<void> create_book(shop& in) {
    auto books = in.books(in.a);
    const auto one = a_book("Counter", 0);
    co_await books.create(one);
}

/// The book, and a session of process a that is open.
void begin(shop& s) {
    s.in_a(create_book, s);
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            item_lock lock{*in.a.session, the_book()};
            auto guard = co_await lock.acquire();
            co_await guard.release();
        },
        s);
    s.a.network->clear_log();
}

/// A function that another process outruns each time, until it is stopped.
auto outrun(shop& in, int& times) {
    return [&in, &times](book value) {
        auto stored = in.stored();
        if (times > 0 && !stored.contains("_lockW")) {
            --times;
            stored.insert_or_assign("version", *find_integer(stored, "version") + 1);
            in.put(stored);
        }
        ++value.pages;
        return value;
    };
}

bool unlocked(shop& in) {
    return !in.stored().contains("_lockW");
}

}  // namespace

TEST_CASE("promotion: after so many conflicts the update takes the lock, and no conflict can follow") {
    shop s;
    begin(s);
    int times = 1'000;
    s.in_a(
        [](shop& in, int& left) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            update_options how;
            how.promote = promotion{.with = &*in.a.session, .after = 3};
            auto done = co_await books.update(isbn, outrun(in, left), how);
            CHECK(done.value.pages == 1);
            CHECK(done.version == in.stored_version());
        },
        s, times);
    CHECK(times == 997);
    CHECK(s.requests(s.a, "GetItem") == 1);
    CHECK(s.requests(s.a, "UpdateItem") == 3 + 2);
    CHECK(unlocked(s));
}

TEST_CASE("promotion: whoever is loaded before meets a conflict, and nobody saves in between") {
    shop s;
    begin(s);
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.b);
            auto before = co_await books.load(isbn);
            int times = 1'000;
            update_options how;
            how.promote = promotion{.with = &*in.a.session, .after = 1};
            auto quarrelling = in.books(in.a);
            co_await quarrelling.update(isbn, outrun(in, times), how);
            auto [error, result] = co_await books.save(*before, as_pair);
            CHECK(error == errc::conflict);
        },
        s);
}

TEST_CASE("promotion: an item that a dead process has locked is taken over") {
    shop s;
    begin(s);
    auto dead = std::make_unique<node>(s.where, 77);
    item_guard guard;
    run(s.where, *dead, [](node& in, item_guard& into) -> asio::awaitable<void> {
        item_lock lock{*in.session, the_book()};
        into = co_await lock.acquire();
    }(*dead, guard));
    guard = {};
    dead->crash();
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            update_options how;
            how.wait = 1min;
            auto books = in.books(in.a);
            auto add_page = [](book value) {
                ++value.pages;
                return value;
            };
            auto [error, result] = co_await books.update(isbn, add_page, update_options{.wait = 20s}, as_pair);
            CHECK(error == errc::locked);
            how.promote = promotion{.with = &*in.a.session};
            auto done = co_await books.update(isbn, add_page, how);
            CHECK(done.value.pages == 1);
        },
        s);
    CHECK(unlocked(s));
}

TEST_CASE("promotion: a copy of the save that found the item locked lands when the lock goes, and is not done again") {
    shop s;
    begin(s);
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto free = in.stored();
            auto held = free;
            lock other{*in.b.session, "opens the session"};
            auto alive = co_await other.acquire();
            held.emplace("_lockW", in.b.session->id() + ".7.0000000001");
            in.put(held);
            testing::fault twice{testing::fault::kind::apply_twice};
            twice.copy = 3'050ms;
            in.a.network->set_plan(testing::scripted_faults({testing::fault{}, twice}));
            running updates(in.where, in.a, [](shop& world) -> asio::awaitable<void> {
                auto books = world.books(world.a);
                update_options how;
                how.promote = promotion{.with = &*world.a.session};
                auto done = co_await books.update(
                    isbn,
                    [](book value) {
                        ++value.pages;
                        return value;
                    },
                    how);
                CHECK(done.value.pages == 1);
            }(in));
            co_await sleep(in.b, 3s);
            CHECK_FALSE(updates.done());
            in.put(free);
            while (in.stored_version() == 1) co_await sleep(in.b, 10ms);
            CHECK_FALSE(in.stored().contains("_lockW"));
            while (!updates.done()) co_await sleep(in.b, 100ms);
            updates.wait();
        },
        s);
    s.where.scheduler.run_for(1s);
    CHECK(find_integer(s.stored(), "pages") == 1);
    CHECK(unlocked(s));
}

TEST_CASE("promotion: what the function throws or leaves as it is gives the lock back") {
    for (const bool throws : {false, true}) {
        shop s;
        begin(s);
        s.in_a(
            [](shop& in, bool throwing) -> asio::awaitable<void> {
                auto books = in.books(in.a);
                int runs = 0;
                int times = 1;
                auto change = [&](book value) -> std::optional<book> {
                    if (runs++ == 0) return outrun(in, times)(value);
                    if (throwing) throw std::domain_error("sold out");
                    return std::nullopt;
                };
                update_options how;
                how.promote = promotion{.with = &*in.a.session, .after = 1};
                auto [error, result] = co_await books.update(isbn, change, how, as_pair);
                CHECK(static_cast<bool>(result.thrown) == throwing);
                CHECK(static_cast<bool>(error) == throwing);
                CHECK(runs == 2);
            },
            s, throws);
        s.where.scheduler.run_for(1s);
        CHECK(unlocked(s));
        CHECK(find_integer(s.stored(), "pages") == 0);
        CHECK(s.a.session->counters().leases_held == 0);
    }
}

TEST_CASE("promotion: whichever request gets no answer, the update is applied once and the lock given back") {
    for_each_lost_answer(1, 3, [](const lost_answer& lost) {
        shop s;
        begin(s);
        s.a.network->set_plan(lost.plan());
        int times = 1;
        s.in_a(
            [](shop& in, int& left) -> asio::awaitable<void> {
                auto books = in.books(in.a);
                update_options how;
                how.promote = promotion{.with = &*in.a.session, .after = 1};
                auto done = co_await books.update(isbn, outrun(in, left), how);
                CHECK(done.value.pages == 1);
            },
            s, times);
        s.where.scheduler.run_for(1min);
        CHECK(find_integer(s.stored(), "pages") == 1);
        CHECK(unlocked(s));
    });
}

TEST_CASE("promotion: a guarded write without any answer is in doubt, and tells what became of it") {
    shop s;
    begin(s);
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            int times = 1;
            int runs = 0;
            auto change = [&](book value) {
                // From the write under the lock on nothing comes back.
                if (runs++ == 1) {
                    in.a.network->set_plan(testing::scripted_faults(
                        std::vector<testing::fault>(40, testing::fault{testing::fault::kind::lose_answer})));
                }
                return outrun(in, times)(value);
            };
            update_options how;
            how.wait = 1min;
            how.promote = promotion{.with = &*in.a.session, .after = 1};
            auto [error, result] = co_await books.update(isbn, change, how, as_pair);
            CHECK(error == errc::in_doubt);
            REQUIRE(result.pending);
            in.a.network->set_plan({});
            auto resolved = co_await result.pending.resolve();
            CHECK(resolved.verdict == resolution::applied);
            CHECK(find_integer(in.stored(), "pages") == 1);
        },
        s);
}

TEST_CASE("promotion: without a session it is refused, and a missing item is not locked") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            auto keep = [](book value) { return value; };
            update_options how;
            how.promote = promotion{};
            error_code code;
            try {
                co_await books.update(isbn, keep, how);
            } catch (const error& why) {
                code = why.code();
            }
            CHECK(code == errc::invalid_option);
            how.promote = promotion{.with = &*in.a.session};
            auto [missing, result] = co_await books.update(isbn, keep, how, as_pair);
            CHECK(missing == errc::missing);
        },
        s);
    CHECK(s.requests(s.a, "UpdateItem") == 0);
}

TEST_CASE("promotion: contending updaters lose no update, whichever of them take the lock") {
    shop s(5);
    s.in_a(create_book, s);
    auto count = [](shop& in, node& where, bool locks) -> asio::awaitable<void> {
        auto books = in.books(where);
        for (int i = 0; i < 10; ++i) {
            update_options how{.tries = 1000};
            how.wait = 1h;
            if (locks) how.promote = promotion{.with = &*where.session, .after = 2};
            co_await books.update(
                isbn,
                [](book value) {
                    ++value.pages;
                    return value;
                },
                how);
        }
    };
    std::vector<std::unique_ptr<running>> work;
    for (int i = 0; i < 6; ++i) {
        auto& in = i % 2 == 0 ? s.a : s.b;
        work.push_back(std::make_unique<running>(s.where, in, count(s, in, i < 4)));
    }
    for (auto& each : work) each->wait(1h);
    s.where.scheduler.run_for(1s);
    CHECK(find_integer(s.stored(), "pages") == 60);
    CHECK(s.stored_version() == 61);
    CHECK(unlocked(s));
}
