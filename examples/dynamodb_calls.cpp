// DynamoDB by itself, without locks: put, update on a condition, query page by page, batches, a transaction.
//
// As it stands it runs on a DynamoDB inside the process. With AWS_REGION or AWS_ENDPOINT_URL set, it uses the one that
// they name, with the usual credentials, and the table `shop`, which it makes and removes.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/client.hpp>
#include <dynalease/coordination_table.hpp>
#include <dynalease/dynamodb/batches.hpp>
#include <dynalease/dynamodb/condition_expression.hpp>
#include <dynalease/dynamodb/expression.hpp>
#include <dynalease/dynamodb/pages.hpp>
#include <dynalease/dynamodb/update_expression.hpp>
#include <dynalease/local/database.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/io_context.hpp>

#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>

namespace asio = boost::asio;

namespace {

constexpr const char* shop = "shop";

void expect(bool holds, const char* what) {
    if (!holds) throw std::runtime_error(what);
    std::cout << what << '\n';
}

dynalease::item_key order(int number) {
    return {{"pk", "customer/7"}, {"sk", "order/" + std::to_string(1000 + number)}};
}

asio::awaitable<void> put_and_update(dynalease::database database) {
    dynalease::put_item_request put;
    put.table_name = shop;
    put.new_item = order(0);
    put.new_item.emplace("state", "open");
    co_await database.execute(put);

    dynalease::update_item_request ship;
    ship.table_name = shop;
    ship.key = order(0);
    apply(ship, dynalease::set("state", "shipped"));
    apply(ship, dynalease::attr("state") == "open");
    ship.current_on_refusal = true;
    co_await database.execute(ship);

    // Nothing throws with a token; a refused condition is an ordinary outcome.
    auto [error, answer] = co_await database.execute(ship, {}, asio::as_tuple(asio::deferred));
    expect(error == dynalease::errc::condition_failed, "an order is shipped once");
}

asio::awaitable<void> write_many(dynalease::database database) {
    std::map<std::string, std::vector<dynalease::batch_write>> writes;
    for (int number = 1; number <= 60; ++number) {
        dynalease::item one = order(number);
        one.emplace("state", "open");
        writes[shop].push_back(dynalease::batch_put{std::move(one)});
    }
    const auto wrote = co_await dynalease::batch_write_all(database, std::move(writes));
    expect(wrote.requests == 3, "60 puts went out in 3 requests");
}

asio::awaitable<void> read_pages(dynalease::database database) {
    dynalease::query_request query;
    query.table_name = shop;
    apply_key(query, dynalease::attr("pk") == "customer/7");
    query.limit = 25;
    dynalease::pages<dynalease::query_request> pages{database, query};
    std::size_t orders = 0;
    for (;;) {
        auto page = co_await pages.next();
        if (!page) break;
        orders += page->items.size();
    }
    expect(orders == 61, "61 orders, page by page");
}

asio::awaitable<void> swap_states(dynalease::database database) {
    dynalease::transact_update first;
    first.table_name = shop;
    first.key = order(1);
    apply(first, dynalease::set("state", "shipped"));
    dynalease::transact_update second;
    second.table_name = shop;
    second.key = order(2);
    apply(second, dynalease::set("state", "cancelled"));
    apply(second, dynalease::attr("state") == "open");

    dynalease::transact_write_items_request both;
    both.actions.push_back(first);
    both.actions.push_back(second);
    co_await database.execute(both);

    dynalease::get_item_request get;
    get.table_name = shop;
    get.key = order(2);
    get.consistent_read = true;
    const auto answer = co_await database.execute(get);
    const auto* state = answer.found ? dynalease::find_string(*answer.found, "state") : nullptr;
    expect(state != nullptr && *state == "cancelled", "both changes of the transaction are made");
}

asio::awaitable<void> all(dynalease::database database) {
    co_await dynalease::create_table(database, shop);
    co_await put_and_update(database);
    co_await write_many(database);
    co_await read_pages(database);
    co_await swap_states(database);
    dynalease::delete_table_request drop;
    drop.table_name = shop;
    co_await database.execute(drop);
}

int run(asio::io_context& io, const dynalease::database& database) {
    int status = 0;
    asio::co_spawn(io, all(database), [&status](std::exception_ptr failure) {
        try {
            if (failure) std::rethrow_exception(failure);
        } catch (const std::exception& why) {
            std::cerr << why.what() << '\n';
            status = 1;
        }
    });
    io.run();
    return status;
}

}  // namespace

int main() {
    asio::io_context io;
    if (std::getenv("AWS_REGION") || std::getenv("AWS_ENDPOINT_URL"))
        return run(io, dynalease::client{io.get_executor()});
    return run(io, dynalease::local::database{io.get_executor()});
}
