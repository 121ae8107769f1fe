// Pages: every item once, in order, wherever one begins; a failed page is asked for again.
// SPDX-License-Identifier: BSL-1.0
#include "support/world.hpp"

#include <dynalease/dynamodb/pages.hpp>

#include <boost/asio/as_tuple.hpp>

#include <catch2/catch.hpp>

namespace {

using namespace dynalease;
using namespace dynalease::tests;

void fill(world& where, int count) {
    for (int i = 0; i < count; ++i) {
        put_item_request put{.table_name = table,
                             .new_item = {{"pk", "row"}, {"sk", std::to_string(1000 + i)}, {"n", i}}};
        where.apply(std::move(put));
    }
}

query_request all_rows(std::int32_t limit) {
    query_request query{.table_name = table, .key_condition_expression = "pk = :p", .values = {{":p", "row"}}};
    query.limit = limit;
    return query;
}

template <class Request>
asio::awaitable<void> collect(pages<Request>& from, std::vector<std::size_t>& sizes, std::vector<std::int64_t>& seen) {
    for (;;) {
        auto page = co_await from.next();
        if (!page) break;
        sizes.push_back(page->items.size());
        for (const auto& one : page->items) seen.push_back(find_integer(one, "n").value());
    }
}

}  // namespace

TEST_CASE("a query is walked through page by page, each item once and in order") {
    for (const int count : {0, 1, 6, 7, 8, 21}) {
        world w;
        fill(w, count);
        node me{w};
        pages<query_request> rows{database(me.network), all_rows(7)};
        std::vector<std::size_t> sizes;
        std::vector<std::int64_t> seen;
        run(w, me, collect(rows, sizes, seen));
        REQUIRE(seen.size() == static_cast<std::size_t>(count));
        for (int i = 0; i < count; ++i) CHECK(seen[static_cast<std::size_t>(i)] == i);
        for (const auto size : sizes) CHECK(size <= 7);
        CHECK(rows.at_end());
        CHECK(me.network->log().size() == sizes.size());
    }
}

TEST_CASE("a scan and the list of tables have pages as well") {
    world w;
    fill(w, 5);
    for (const char* name : {"a-table", "b-table", "c-table"}) {
        create_table_request create{.table_name = name, .key = {.hash = {.name = "pk"}}};
        w.apply(std::move(create));
    }
    node me{w};
    scan_request scan{.table_name = table};
    scan.limit = 2;
    pages<scan_request> rows{database(me.network), scan};
    std::vector<std::size_t> sizes;
    std::vector<std::int64_t> seen;
    run(w, me, collect(rows, sizes, seen));
    CHECK(seen.size() == 5);

    list_tables_request list{};
    list.limit = 1;
    pages<list_tables_request> tables{database(me.network), list};
    std::vector<std::string> names;
    run(w, me, [](pages<list_tables_request>& from, std::vector<std::string>& into) -> asio::awaitable<void> {
        for (;;) {
            auto page = co_await from.next();
            if (!page) break;
            for (auto& name : page->table_names) into.push_back(std::move(name));
        }
    }(tables, names));
    CHECK(names == std::vector<std::string>{"a-table", "b-table", "c-table", "coordination"});
}

TEST_CASE("who keeps the request goes on elsewhere, and after the end nothing is asked") {
    world w;
    fill(w, 10);
    node me{w};
    pages<query_request> first{database(me.network), all_rows(4)};
    std::vector<std::int64_t> rest;
    run(w, me, [](pages<query_request>& from) -> asio::awaitable<void> { co_await from.next(); }(first));
    pages<query_request> second{database(me.network), first.request()};
    std::vector<std::size_t> sizes;
    run(w, me, collect(second, sizes, rest));
    REQUIRE(rest.size() == 6);
    CHECK(rest.front() == 4);
    const auto asked = me.network->log().size();
    run(w, me, [](pages<query_request>& from) -> asio::awaitable<void> {
        const auto page = co_await from.next();
        CHECK_FALSE(page);
    }(second));
    CHECK(me.network->log().size() == asked);
}

TEST_CASE("a page that fails is asked for again by the next call") {
    world w;
    node me{w};
    query_request query = all_rows(4);
    query.table_name = "not-yet";
    pages<query_request> rows{database(me.network), query};
    run(w, me, [](pages<query_request>& from) -> asio::awaitable<void> {
        diagnostics details;
        const auto failed = co_await from.next(details, asio::as_tuple(asio::deferred));
        CHECK(std::get<0>(failed) == errc::table_not_found);
        CHECK(details.operation == "pages.next (Query)");
        CHECK_FALSE(from.at_end());
    }(rows));
    create_table_request create{.table_name = "not-yet",
                                .key = {.hash = {.name = "pk"}, .range = key_attribute{.name = "sk"}}};
    w.apply(std::move(create));
    run(w, me, [](pages<query_request>& from) -> asio::awaitable<void> {
        const auto page = co_await from.next();
        CHECK(page);
        CHECK(from.at_end());
    }(rows));
}
