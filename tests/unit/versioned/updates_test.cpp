// Updates: load, change, save, and again until it holds.
// SPDX-License-Identifier: BSL-1.0
#include "book_shop.hpp"

#include <catch2/catch.hpp>

#include <stdexcept>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

book one_more(book value) {
    ++value.pages;
    return value;
}

asio::awaitable<void> make_counter(versioned<book> table) {
    const auto one = a_book("Counter", 0);
    co_await table.create(one);
}
asio::awaitable<void> count_up(versioned<book> table, update_options how, error_code& code) {
    auto done = co_await table.update(isbn, one_more, how, as_pair);
    code = std::get<0>(done);
}

}  // namespace

TEST_CASE("an update waits for a lock by looking, and does not count it as a conflict") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto one = a_book();
            co_await books.create(one);
            auto held = in.stored();
            held.emplace("_lockW", "s1.7.0000000001");
            in.put(held);
            auto update = [](versioned<book> table) -> asio::awaitable<void> {
                auto done = co_await table.update(isbn, one_more, {.tries = 1});
                CHECK(done.value.pages == 101);
            };
            running updating(in.where, in.b, update(in.books(in.b)));
            co_await sleep(in.a, 3s);
            CHECK_FALSE(updating.done());
            held.erase("_lockW");
            in.put(held);
            co_await sleep(in.a, 2s);
            CHECK(updating.done());
            updating.wait();
            CHECK(in.requests(in.b, "UpdateItem") == 2);
            CHECK(in.requests(in.b, "GetItem") < 12);

            held.emplace("_lockW", "s1.7.0000000001");
            in.put(held);
            auto [error, result] = co_await books.update(isbn, one_more, {.wait = 2s}, as_pair);
            CHECK(error == errc::locked);
            CHECK(result.holder == "s1.7.0000000001");
        },
        s);
}

TEST_CASE("an update that changes nothing writes nothing, and one that is called off neither") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto one = a_book();
            co_await books.create(one);
            in.a.network->clear_log();
            auto same = co_await books.update(isbn, [](book value) { return value; });
            CHECK(same.version == 1);
            auto called_off = co_await books.update(isbn, [](book) { return std::optional<book>(); });
            CHECK(called_off.version == 1);
            CHECK(in.requests(in.a) == 2);
            CHECK(in.requests(in.a, "GetItem") == 2);
        },
        s);
}

TEST_CASE("an update that may make its item, and is called off, is told that there is none") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto call_off = [](book) { return std::optional<book>(); };
            auto [code, result] = co_await books.update(isbn, call_off, {.create = true}, as_pair);
            CHECK(code == errc::missing);
            try {
                co_await books.update(isbn, call_off, {.create = true});
                FAIL("it went on");
            } catch (const error& why) {
                CHECK(why.code() == errc::missing);
                CHECK(why.diagnostics().message == "the function left it so; nothing was written");
            }
            CHECK(in.requests(in.a, "UpdateItem") == 0);
        },
        s);
    CHECK(s.stored().empty());
}

TEST_CASE("what the function of an update throws is thrown on, and nothing is written") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto one = a_book();
            co_await books.create(one);
            const auto fail = [](book) -> book { throw std::domain_error("sold out"); };
            try {
                co_await books.update(isbn, fail);
                FAIL("it went on");
            } catch (const std::domain_error& why) {
                CHECK(std::string(why.what()) == "sold out");
            }
            auto [error, result] = co_await books.update(isbn, fail, as_pair);
            CHECK(error == errc::cancelled);
            CHECK_THROWS_AS(std::rethrow_exception(result.thrown), std::domain_error);
        },
        s);
    CHECK(s.stored_version() == 1);
}

TEST_CASE("an update of a missing item is an error, or makes it from a default value") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            auto [error, result] = co_await books.update(isbn, one_more, as_pair);
            CHECK(error == errc::missing);
            auto made = co_await books.update(isbn, one_more, {.create = true});
            CHECK(made.version == 1);
            CHECK(made.value.isbn == isbn);
            CHECK(made.value.pages == 1);
            auto again = co_await books.update(isbn, one_more, {.create = true});
            CHECK(again.value.pages == 2);
        },
        s);
}

TEST_CASE("an update gives up after its tries, with the last item") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto one = a_book();
            co_await books.create(one);
            in.a.network->clear_log();
            auto [error, result] = co_await books.update(
                isbn,
                [&](book value) {
                    auto item = in.stored();
                    item.insert_or_assign("version", *find_integer(item, "version") + 1);
                    in.put(item);
                    return one_more(value);
                },
                {.tries = 3}, as_pair);
            CHECK(error == errc::conflict);
            REQUIRE(result.current);
            CHECK(result.current->version == 4);
            CHECK(in.requests(in.a) == 4);
        },
        s);
}

TEST_CASE("contending updaters lose no update, and each conflict costs one request") {
    shop s(7);
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            const auto one = a_book("Counter", 0);
            co_await books.create(one);
        },
        s);
    s.a.network->clear_log();
    auto count = [](versioned<book> books) -> asio::awaitable<void> {
        for (int i = 0; i < 10; ++i) {
            update_options how{.tries = 1000};
            how.wait = 1h;
            co_await books.update(isbn, one_more, how);
        }
    };
    std::vector<std::unique_ptr<running>> work;
    for (int i = 0; i < 8; ++i) {
        auto& in = i % 2 == 0 ? s.a : s.b;
        work.push_back(std::make_unique<running>(s.where, in, count(s.books(in))));
    }
    for (auto& each : work) each->wait(1h);
    CHECK(find_integer(s.stored(), "pages") == 80);
    CHECK(s.stored_version() == 81);
    std::size_t reads = 0;
    std::size_t refusals = 0;
    for (auto* each : {&s.a, &s.b}) {
        reads += s.requests(*each, "GetItem");
        for (const auto& entry : each->network->log()) refusals += entry->code == errc::condition_failed ? 1 : 0;
        CHECK(s.requests(*each) == s.requests(*each, "GetItem") + s.requests(*each, "UpdateItem"));
    }
    CHECK(reads == 80);
    CHECK(s.requests(s.a, "UpdateItem") + s.requests(s.b, "UpdateItem") == 80 + refusals);
}

TEST_CASE("where no write is in doubt there is nothing to resolve") {
    shop s;
    error_code code;
    s.in_a(
        [](error_code& thrown) -> asio::awaitable<void> {
            const pending_write<book> none;
            CHECK_FALSE(none);
            try {
                co_await none.resolve();
            } catch (const error& why) {
                thrown = why.code();
            }
            CHECK_THROWS_AS(none.close([](error_code, const resolved<book>&) {}), error);
        },
        code);
    CHECK(code == errc::not_held);
}

TEST_CASE("updates of one process line up for an item, whichever handles make them, and do not pause for one another") {
    shop s;
    const auto latency = [](const any_request&, const call_options&) {
        return testing::fault{.before = 2ms, .after = 2ms};
    };
    s.a.network->set_plan(latency);
    const auto books = s.books(s.a);
    run(s.where, s.a, make_counter(books));
    s.a.network->clear_log();
    constexpr int callers = 40;
    auto once = [](versioned<book> table, error_code& code) -> asio::awaitable<void> {
        auto done = co_await table.update(isbn, one_more, as_pair);
        code = std::get<0>(done);
    };
    std::vector<error_code> codes(callers);
    std::vector<std::unique_ptr<running>> work;
    const auto began = s.where.scheduler.now();
    for (int i = 0; i < callers; ++i) {
        // Each by a handle of its own.
        auto options = in_books();
        options.tombstone_lifetime = std::chrono::hours(i + 1);
        work.push_back(
            std::make_unique<running>(s.where, s.a, once(s.books(s.a, options), codes[static_cast<std::size_t>(i)])));
    }
    for (auto& each : work) each->wait(1min);
    for (const auto& code : codes) CHECK_FALSE(code);
    CHECK(find_integer(s.stored(), "pages") == callers);
    CHECK(s.where.scheduler.now() - began < callers * 9ms);
    CHECK(s.requests(s.a) == 2 * callers);
}

TEST_CASE("an update waits behind another one only while that gets on") {
    shop s;
    const auto books = s.books(s.a);
    run(s.where, s.a, make_counter(books));
    error_code first;
    error_code second;
    update_options patient;
    patient.wait = 1h;
    s.a.network->set_plan(
        [](const any_request&, const call_options&) { return testing::fault{.what = testing::fault::kind::hold}; });
    running hangs(s.where, s.a, count_up(books, patient, first));
    s.where.scheduler.run_for(1ms);
    s.a.network->set_plan({});
    const auto began = s.where.scheduler.now();
    run(s.where, s.a, count_up(books, patient, second));
    CHECK_FALSE(second);
    CHECK(s.where.scheduler.now() - began <= 1s);
    // No longer than it would have waited by itself.
    update_options hasty;
    hasty.wait = 100ms;
    const auto then = s.where.scheduler.now();
    run(s.where, s.a, count_up(books, hasty, second));
    CHECK_FALSE(second);
    CHECK(s.where.scheduler.now() - then <= 100ms);
}

TEST_CASE("an update that asks for no lock does not stand in the line of those who wait for one") {
    shop s;
    const auto books = s.books(s.a);
    run(s.where, s.a, make_counter(books));
    auto locked = s.stored();
    locked.insert_or_assign("_lockW", "somebody.1.0000000001");
    s.put(locked);
    error_code waiting;
    error_code past;
    update_options patient;
    patient.wait = 1h;
    running waits(s.where, s.a, count_up(books, patient, waiting));
    s.where.scheduler.run_for(1ms);
    update_options ignoring;
    ignoring.ignore_lock = true;
    const auto began = s.where.scheduler.now();
    run(s.where, s.a, count_up(books, ignoring, past));
    CHECK_FALSE(past);
    CHECK(s.where.scheduler.now() - began < 100ms);
}

TEST_CASE("who is overtaken at each try is told so, of its update") {
    shop s;
    auto overtaken = [](shop& in) -> asio::awaitable<void> {
        auto books = in.books(in.a);
        const auto one = a_book("Counter", 0);
        co_await books.create(one);
        const auto rival = [&in](book value) {
            auto stored = in.stored();
            stored["version"] = find_integer(stored, "version").value() + 1;
            in.put(std::move(stored));
            return one_more(std::move(value));
        };
        diagnostics told;
        update_options how;
        how.tries = 3;
        auto done = co_await books.update(isbn, rival, how, told, as_pair);
        CHECK(std::get<0>(done) == errc::conflict);
        CHECK(told.operation.starts_with("versioned.update"));
        CHECK(told.advice.find("overtaken at each of its 3 tries") != std::string::npos);
    };
    s.in_a(overtaken, s);
}
