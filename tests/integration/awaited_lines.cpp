// Lines as a reader of the page for users would write them, each within one awaited expression: they work as they
// stand, whichever compiler it is, or are not compiled (refused_lines.cpp).
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/dynalease.hpp>
#include <dynalease/local/database.hpp>
#include <dynalease/local/server.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/describe/class.hpp>

#include <catch2/catch.hpp>

#include <chrono>
#include <exception>
#include <functional>
#include <string>
#include <utility>

using namespace dynalease;
using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

struct book {
    std::string isbn{};
    std::string title{};
    int pages = 0;
};
BOOST_DESCRIBE_STRUCT(book, (), (isbn, title, pages))

/// Once so short that a string keeps it within itself, once not.
const std::string short_name = "a book";
const std::string long_name = "a name that is longer than what the strings of any library keep within themselves";

struct shop {
    explicit shop(std::string called, const database& in) : name(std::move(called)), db(in) {}

    std::string name;
    database db;
    session coordination{db, {.table = "coordination", .owner = name}};
    lock books_lock{coordination, name};
    queue till{coordination, name};
    versioned<book> books{db, {.table = "books", .key = "isbn"}};
    item_ref row{"books", {{"isbn", name}}};
    item_lock row_lock{coordination, row};
};

using line = std::function<asio::awaitable<void>(shop&)>;

asio::awaitable<void> open_and_run(shop& in, const line& what) {
    co_await create_table(in.db, "coordination");
    co_await in.db.execute(create_table_request{.table_name = "books", .key = {.hash = {.name = "isbn"}}});
    const book first{.isbn = in.name, .title = in.name, .pages = 1};
    co_await in.books.create(first);
    co_await what(in);
    co_await in.coordination.close({.timeout = 1s});
}

void run(const line& what) {
    for (const auto& name : {short_name, long_name}) {
        asio::io_context io;
        std::exception_ptr thrown;
        shop in(name, local::database(io.get_executor()));
        asio::co_spawn(io, open_and_run(in, what), [&](std::exception_ptr end) { thrown = std::move(end); });
        io.run();
        if (thrown) std::rethrow_exception(thrown);
    }
}

asio::awaitable<void> nothing(queue_turn&) {
    co_return;
}

}  // namespace

TEST_CASE("handles made in an awaited expression") {
    run([](shop& in) -> asio::awaitable<void> {
        {
            auto guard = co_await lock(in.coordination, in.name + "x").acquire({.wait = 1s});
            CHECK(guard.name() == in.name + "x");
        }
        co_await with_turn(queue{in.coordination, in.name}, nothing);
        {
            auto guard = co_await item_lock(in.coordination, in.row).acquire();
            CHECK(guard.held());
            co_await guard.release();
        }
        auto turn = co_await queue(in.coordination, in.name, {.reason = in.name}).enter();
        CHECK(turn.name() == in.name);
    });
}

TEST_CASE("a client made where the executor is awaited") {
    run([](shop&) -> asio::awaitable<void> {
        client of_region{co_await asio::this_coro::executor, {.region = "eu-central-1", .profile = {}}};
        session of_database{local::database{co_await asio::this_coro::executor}, {.table = "coordination"}};
        try {
            client by_itself{co_await asio::this_coro::executor};
        } catch (const error& no_region_is_set) {
            CHECK(no_region_is_set.code() == errc::invalid_option);
        }
    });
}

TEST_CASE("options with strings, conditions and items") {
    run([](shop& in) -> asio::awaitable<void> {
        const auto page = co_await list_locks(in.db, {.table = "coordination"});
        CHECK(page.locks.empty());
        const bool lived = co_await revoke_session(
            in.db, {.table = "coordination", .session = in.coordination.id(), .by = "a test that has a session"});
        CHECK_FALSE(lived);
        auto found = co_await in.books.load(in.name);
        found = co_await in.books.save(*found, {.condition = attr("pages") == 1});
        co_await in.books.blind(in.name, set("title", in.name) + add("pages", 5), {.condition = attr("pages") == 1});
        const item why{{"why", in.name}};
        {
            const auto guard = co_await in.books_lock.acquire({.wait = 1s, .data = why});
            const auto seen = co_await in.books_lock.inspect();
            CHECK(seen.data == why);
        }
        const auto [code, guard] = co_await in.books_lock.acquire({.data = why}, asio::as_tuple(asio::deferred));
        CHECK(!code);
    });
}

TEST_CASE("requests") {
    run([](shop& in) -> asio::awaitable<void> {
        const auto tables = co_await in.db.execute(list_tables_request{});
        CHECK(tables.table_names.size() == 2);
        const item_key key{{"isbn", in.name}};
        const auto read = co_await in.db.execute(get_item_request{.table_name = "books", .key = key});
        CHECK(read.found);
        const auto all =
            co_await in.db.execute(scan_request{.table_name = "books", .filter_expression = "attribute_exists(pages)"});
        CHECK(all.items.size() == 1);
        const auto removed = co_await in.db.call(delete_item_request{.table_name = "books", .key = key});
        CHECK(removed.has_value());
    });
}

TEST_CASE("bodies and changes") {
    run([](shop& in) -> asio::awaitable<void> {
        bool ran = false;
        co_await with_lock(lock{in.coordination, in.name},
                           [&](lock_guard&) -> asio::awaitable<void> {
                               ran = true;
                               co_return;
                           },
                           {.wait = 5s});
        CHECK(ran);
        const auto named = [name = in.name](lock_guard&) -> asio::awaitable<std::size_t> { co_return name.size(); };
        CHECK(co_await with_lock(in.books_lock, named) == in.name.size());
        CHECK(co_await with_lock(in.coordination, in.name, named) == in.name.size());
        ran = false;
        co_await with_lock(in.coordination, "a lock whose name is longer than a string keeps within itself",
                           [&](lock_guard& guard) -> asio::awaitable<void> {
                               ran = guard.held();
                               co_return;
                           },
                           {.wait = 5s});
        CHECK(ran);
        const auto change = [title = in.name + "!"](book before) {
            before.title = title;
            return before;
        };
        const auto written = co_await in.books.update(in.name, change, {.tries = 3});
        CHECK(written.value.title == in.name + "!");
        co_await in.books.update(in.name, [](book before) { return ++before.pages, before; });
    });
}

TEST_CASE("diagnostics without a token") {
    run([](shop& in) -> asio::awaitable<void> {
        diagnostics why;
        {
            auto guard = co_await in.books_lock.acquire({.wait = 1s}, why);
            CHECK(why.message.empty());
            const auto second = co_await in.books_lock.try_acquire(why);
            CHECK_FALSE(second);
            CHECK(why.message.find("held") != std::string::npos);
            co_await guard.release(why);
            CHECK(why.message.empty());
            const auto [again] = co_await guard.release(why, asio::as_tuple(asio::deferred));
            CHECK(again == errc::not_held);
            CHECK(why.table == "coordination");
        }
        {
            const auto turn = co_await in.till.enter(why);
            const auto second = co_await in.till.try_enter(why);
            CHECK_FALSE(second);
            CHECK(why.operation == "queue.try_enter");
        }
        {
            const auto guard = co_await in.row_lock.acquire(why);
            const auto second = co_await in.row_lock.try_acquire(why);
            CHECK_FALSE(second);
            CHECK(why.operation == "item_lock.try_acquire");
            auto empty = co_await in.row_lock.try_acquire();
            const auto [nothing_held] = co_await empty.release(why, asio::as_tuple(asio::deferred));
            CHECK(nothing_held == errc::not_held);
        }
        auto found = co_await in.books.load(in.name, why);
        found = co_await in.books.save(*found, {}, why);
        CHECK(why.operation.empty());
        bool refused = false;
        try {
            co_await in.books.create(found->value, why);
        } catch (const conflict<book>& exists) {
            refused = exists.code() == errc::exists && exists.diagnostics().message == why.message;
        }
        CHECK(refused);
        CHECK(why.table == "books");
        co_await in.books.remove(*found, why);
        const auto seen = co_await in.books_lock.inspect(why);
        CHECK_FALSE(seen.held);
        const auto tables = co_await in.db.execute(list_tables_request{}, {}, why);
        CHECK(tables.table_names.size() == 2);
    });
}

TEST_CASE("hooks among options: named before, or of references alone") {
    run([](shop& in) -> asio::awaitable<void> {
        std::string user = in.name;
        std::string seen;
        int told = 0;
        {
            auto turn = co_await in.till.enter({.wait = 5s, .on_place = [&user, &seen, &told](const queue_place&) {
                                                    seen = user;
                                                    ++told;
                                                }});
            CHECK(turn.held());
            co_await turn.leave();
        }
        const auto tell = [user, &seen](const queue_place&) { seen = user; };
        {
            auto turn = co_await in.till.enter({.on_place = tell});
            CHECK(turn.held());
            co_await turn.leave();
        }
        const place_hook hook = tell;
        {
            auto turn = co_await in.till.enter({.wait = 5s, .on_place = hook});
            CHECK(turn.held());
            co_await turn.leave();
        }
        const auto work = [](queue_turn&) -> asio::awaitable<void> { co_return; };
        co_await with_turn(in.till, work, {.on_place = tell});
        const auto log = [user, &seen](severity, std::string_view) { seen = user; };
        const auto note = [user, &seen](session_state) { seen = user; };
        const auto observe = [user, &seen](const grant_report&) { seen = user; };
        co_await session{in.db, {.table = "coordination", .log = log, .on_state = note, .on_grant = observe}}.open();
        CHECK(seen == user);
        auto guard = co_await observed(in.books_lock, observe).acquire();
        CHECK(guard.held());
        co_await guard.release();
        CHECK(user == in.name);
    });
}

TEST_CASE("options are assigned member by member, in all directions") {
    session_options one{.table = "coordination"};
    session_options other;
    other.table = one.table;
    other.log = one.log;
    CHECK(other.table == one.table);
    CHECK_FALSE(other.log);
    const std::string text = one.table;
    one.table = text + "2";
    one.owner = 'c';
    CHECK(one.table == "coordination2");
    CHECK(one.owner == "c");
    one = std::move(other);
    CHECK(one.table == "coordination");
    CHECK(one.owner.empty());
}
