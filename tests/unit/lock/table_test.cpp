// Making the coordination table, and listing the locks that stand in it.
// SPDX-License-Identifier: BSL-1.0
#include "support/edited_answers.hpp"
#include "support/lock_steps.hpp"

#include <dynalease/coordination_table.hpp>
#include <dynalease/queue.hpp>
#include <dynalease/transaction.hpp>

#include <catch2/catch.hpp>

#include <set>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

asio::awaitable<void> make(node& in, std::string name) {
    database target(in.network);
    co_await create_table(target, std::move(name));
}

asio::awaitable<void> make_another(node& in) {
    database target(in.network);
    co_await create_table(target, "another");
}

asio::awaitable<void> list_all(node& in, std::string prefix, std::set<std::string>& names, std::size_t& held) {
    database target(in.network);
    list_locks_options options{.table = table, .prefix = std::move(prefix), .page_size = 3};
    do {
        auto page = co_await list_locks(target, options);
        for (const auto& found : page.locks) {
            names.insert(found.name);
            held += found.info.held ? 1 : 0;
        }
        options.start_after = std::move(page.next);
    } while (!options.start_after.empty());
}

/// That who asked is told which key the table has.
void expect_key(error_code code, const diagnostics& why, const std::string& key) {
    INFO(why.operation);
    CHECK(code == errc::validation);
    CHECK(why.message.find("has the key " + key + ", and a coordination table pk (S) and sk (S)") != std::string::npos);
}

}  // namespace

TEST_CASE("create_table makes a table that expires rows, and is content with one that stands") {
    world w;
    node a(w);
    run(w, a, make_another(a));
    const auto made = w.apply(describe_table_request{.table_name = "another"}).table;
    CHECK(made.key.hash.name == "pk");
    CHECK(made.key.range->name == "sk");
    CHECK(w.apply(describe_time_to_live_request{.table_name = "another"}).attribute_name == "ttl");
    CHECK_NOTHROW(run(w, a, make(a, "another")));
}

TEST_CASE("create_table refuses a table with another key, and a name that is none") {
    world w;
    node a(w);
    w.apply(create_table_request{.table_name = "foreign", .key = {.hash = {.name = "id"}}});
    try {
        run(w, a, make(a, "foreign"));
        FAIL("it was accepted");
    } catch (const error& e) {
        CHECK(e.code() == errc::table_in_use);
        CHECK(e.diagnostics().message.find("has the key id (S)") != std::string::npos);
        CHECK(std::string(e.what()).find("wait") == std::string::npos);
    }
    for (const auto* name : {"a b", "ab"}) {
        try {
            run(w, a, make(a, name));
            FAIL("it was accepted");
        } catch (const error& e) {
            CHECK(e.code() == errc::invalid_name);
            CHECK(e.diagnostics().message.find(name) != std::string::npos);
        }
    }
}

TEST_CASE("a session on a table that is no coordination table is told so, and writes nothing there") {
    world w;
    create_table_request other{.table_name = "foreign", .key = {.hash = {.name = "id"}}};
    SECTION("another name") {}
    SECTION("another type") {
        other.key = {.hash = {.name = "pk", .type = scalar_type::n}, .range = key_attribute{"sk"}};
    }
    w.apply(std::move(other));
    node a(w, 1, {}, {.table = "foreign"});
    lock_guard guard;
    try {
        run(w, a, take(a, "x", guard));
        FAIL("it was granted");
    } catch (const error& e) {
        CHECK(e.code() == errc::validation);
        CHECK(e.code() == condition::misconfigured);
        CHECK(e.diagnostics().table == "foreign");
        CHECK(e.diagnostics().message.find("and a coordination table pk (S) and sk (S)") != std::string::npos);
    }
    CHECK(w.apply(scan_request{.table_name = "foreign"}).items.empty());
}

TEST_CASE("a table that takes a session's row, and no lock's, is told of by its key") {
    world w;
    w.apply(create_table_request{.table_name = "foreign", .key = {.hash = {.name = "pk"}}});
    node a(w, 1, {}, {.table = "foreign"});
    const auto ask = [](node& in) -> asio::awaitable<void> {
        const auto refused = [](error_code code, const diagnostics& why) { expect_key(code, why, "pk (S)"); };
        diagnostics why;
        const lock one{*in.session, "x"};
        auto [of_lock, guard] = co_await one.acquire(why, as_tuple);
        refused(of_lock, why);
        const queue line{*in.session, "x"};
        auto [of_queue, turn] = co_await line.enter(why, as_tuple);
        refused(of_queue, why);
    };
    run(w, a, ask(a));
}

TEST_CASE("who looks at a table that is no coordination table is told so") {
    world w;
    w.apply(create_table_request{.table_name = "foreign", .key = {.hash = {.name = "id"}}});
    node a(w, 1, {}, {.table = "foreign"});
    const auto look = [](node& in) -> asio::awaitable<void> {
        const auto refused = [](error_code code, const diagnostics& why) { expect_key(code, why, "id (S)"); };
        diagnostics why;
        const lock one{*in.session, "x"};
        auto [of_lock, lock_seen] = co_await one.inspect(why, as_tuple);
        refused(of_lock, why);
        const queue line{*in.session, "x"};
        auto [of_queue, queue_seen] = co_await line.inspect(why, as_tuple);
        refused(of_queue, why);
        transactions several{database(in.network), {.table = "foreign"}};
        auto [of_transaction, report] = co_await several.look("id", why, as_tuple);
        refused(of_transaction, why);
        auto [of_list, listed] = co_await several.list(why, as_tuple);
        refused(of_list, why);
        const list_locks_options all{.table = "foreign"};
        auto [of_locks, locks] = co_await list_locks(database(in.network), all, why, as_tuple);
        refused(of_locks, why);
        run_options with_id;
        with_id.id = "4711";
        const auto nothing = [](transaction&) -> asio::awaitable<void> { co_return; };
        auto running = several.run(nothing, with_id);
        try {
            co_await std::move(running);
            FAIL("it was committed");
        } catch (const error& e) {
            refused(e.code(), e.diagnostics());
        }
    };
    run(w, a, look(a));
}

TEST_CASE("a list of locks passes over rows that an endpoint of its own kind shows besides") {
    world w;
    node a(w);
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    // Nothing is filtered, and what was asked for by its key comes without it.
    const auto network = std::make_shared<edited_answers>(a.network, [](any_response& answer) {
        if (auto* page = std::get_if<page_response>(&answer)) {
            for (const char* key : {"lo", "lock", "session#lock#y"}) {
                auto row = page->items.front();
                row["pk"] = key;
                page->items.push_back(std::move(row));
            }
            page->items.push_back({});
        } else if (auto* batch = std::get_if<batch_get_item_response>(&answer)) {
            for (auto& [name, rows] : batch->items) {
                rows.push_back({{"lease", 1}});
                rows.push_back({{"pk", 7}});
            }
        }
    });
    lock_page seen;
    run(w, a, [](database target, lock_page& into) -> asio::awaitable<void> {
        const list_locks_options all{.table = std::string(table)};
        into = co_await list_locks(std::move(target), all);
    }(database(network), seen));
    REQUIRE(seen.locks.size() == 1);
    CHECK(seen.locks.front().name == "x");
    CHECK(seen.locks.front().info.held);
}

TEST_CASE("a malformed table name is told to the handler, like every other failure") {
    world w;
    node a(w);
    const database target(a.network);
    error_code made;
    error_code listed;
    create_table(target, "a b", {}, [&](error_code code) { made = code; });
    list_locks_options options{.table = "a b"};
    list_locks(target, options, [&](error_code code, const lock_page&) { listed = code; });
    w.scheduler.run_for(1s);
    CHECK(made == errc::invalid_name);
    CHECK(listed == errc::invalid_name);
}

TEST_CASE("list_locks finds every lock of a prefix, page by page") {
    world w;
    node a(w);
    std::vector<lock_guard> guards(12);
    std::set<std::string> expected;
    for (std::size_t i = 0; i < guards.size(); ++i) {
        const auto name = (i % 2 == 0 ? "job/" : "account/") + std::to_string(i);
        if (i % 2 == 0) expected.insert(name);
        run(w, a, take(a, name, guards[i]));
    }
    guards[0] = {};
    w.scheduler.run_for(1s);
    std::set<std::string> found;
    std::size_t held = 0;
    run(w, a, list_all(a, "job/", found, held));
    CHECK(found == expected);
    CHECK(held == expected.size() - 1);
}

namespace {

asio::awaitable<void> look_at_all(node& in, lock_page& page, lock_info& first) {
    const list_locks_options options{.table = table};
    page = co_await list_locks(database(in.network), options);
    first = co_await lock(*in.session, page.locks.front().name).inspect();
}

}  // namespace

TEST_CASE("a list and a look tell who holds a lock, since when, and when its heartbeat was last seen") {
    world w;
    node a(w, 1, {}, {.table = table, .owner = "billing"});
    node b(w, 2);
    lock_guard guard;
    const auto wall = [&] { return a.environment.clock->wall(); };
    run(w, a, take(a, "x", guard));
    w.scheduler.run_for(1min);
    const auto asked = wall();
    lock_page page;
    lock_info seen;
    run(w, b, look_at_all(b, page, seen));
    REQUIRE(page.locks.size() == 1);
    for (const auto& info : {page.locks.front().info, seen}) {
        CHECK(info.held);
        CHECK(info.owner == "billing");
        CHECK(info.holder == a.session->id());
        CHECK(asked - info.since >= 59s);
        CHECK(asked - info.since <= 61s);
        CHECK(asked - info.last_heartbeat <= 3s);
    }
    // A dead one: its row still says who it was, until somebody waits for it.
    a.process->pause();
    w.scheduler.run_for(1min);
    run(w, b, look_at_all(b, page, seen));
    for (const auto& info : {page.locks.front().info, seen}) CHECK(wall() - info.last_heartbeat >= 59s);
    lock_guard taken;
    run(w, b, take(b, "x", taken));
    run(w, b, look_at_all(b, page, seen));
    for (const auto& info : {page.locks.front().info, seen}) {
        CHECK(info.holder == b.session->id());
        CHECK(wall() - info.since <= 15s);
    }
    guard = {};
    a.process->resume();
    w.scheduler.run_for(10s);
}

TEST_CASE("a lock whose session has ended is shown as held by nobody, in a list as in a look") {
    world w;
    node a(w, 1);
    node b(w, 2);
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    w.apply(delete_item_request{.table_name = table, .key = {{"pk", "session#" + a.session->id()}, {"sk", "-"}}});
    lock_page page;
    lock_info seen;
    run(w, b, look_at_all(b, page, seen));
    CHECK_FALSE(page.locks.front().info.held);
    CHECK_FALSE(seen.held);
    CHECK(page.locks.front().info.holder == a.session->id());
}

TEST_CASE("a page of locks has 1 to 1,000 rows") {
    world w;
    node a(w);
    for (const auto size : {0, 1001}) {
        error_code code;
        const list_locks_options options{.table = table, .page_size = size};
        list_locks(database(a.network), options, [&](error_code ended, const lock_page&) { code = ended; });
        w.scheduler.run_for(1s);
        CHECK(code == errc::invalid_option);
    }
}

TEST_CASE("a damaged row spoils no page of locks") {
    world w;
    node a(w);
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    for (const auto& holder : {std::string(2100, 'h'), std::string()}) {
        auto row = w.row("lock#x");
        row.insert_or_assign("pk", "lock#damaged");
        row.insert_or_assign("holder", holder);
        w.apply(put_item_request{.table_name = table, .new_item = row});
        lock_page page;
        lock_info seen;
        run(w, a, look_at_all(a, page, seen));
        REQUIRE(page.locks.size() == 2);
        for (const auto& [name, info] : page.locks) CHECK(info.held == (name == "x" || !holder.empty()));
    }
}
