// A transaction of 1,000 items: its process is killed half-way, and another one rolls it forward.
//
// It starts a DynamoDB of its own, and itself once more for the process that dies.
// SPDX-License-Identifier: BSL-1.0
#include "support/child_process.hpp"
#include "support/dying_network.hpp"
#include "support/local_server.hpp"
#include "support/run_awaitable.hpp"
#include "support/stopwatch.hpp"

#include <dynalease/client.hpp>
#include <dynalease/coordination_table.hpp>
#include <dynalease/dynamodb/expression.hpp>
#include <dynalease/transaction.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace asio = boost::asio;

namespace {

constexpr int seats = 1000;
constexpr const char* closing = "close-2026";

using rows = dynalease::versioned_items;

std::string seat(int number) {
    return "seat-" + std::to_string(number);
}

rows seats_in(dynalease::database database) {
    return {database, {.table = "seats", .key = "seat"}};
}

asio::awaitable<void> close_all(dynalease::database database) {
    const auto table = seats_in(database);
    const dynalease::transactions transactions{database};
    const dynalease::run_options options{.id = closing};
    co_await transactions.run(
        [&](dynalease::transaction& tx) -> asio::awaitable<void> {
            for (int i = 0; i < seats; ++i) {
                tx.update(table, seat(i), dynalease::set("state", "closed"), dynalease::attr("state") == "free");
            }
            co_return;
        },
        options);
}

void expect(bool holds, const std::string& what) {
    if (!holds) throw std::runtime_error(what);
    std::cout << what << '\n';
}

/// As everybody may read them, by one batch of reads.
asio::awaitable<std::size_t> closed(rows table) {
    std::vector<dynalease::key_values> keys;
    for (int i = 0; i < seats; ++i) keys.emplace_back(seat(i));
    const auto all = co_await table.load_many(std::move(keys));
    std::size_t count = 0;
    for (const auto& each : all) count += *dynalease::find_string(each->value, "state") == "closed" ? 1 : 0;
    co_return count;
}

asio::awaitable<void> play(dynalease::database database, std::string endpoint) {
    dynalease::create_table_request made;
    made.table_name = "seats";
    made.key.hash.name = "seat";
    co_await database.execute(made);
    co_await dynalease::create_table(database, "coordination");
    const auto table = seats_in(database);
    const dynalease::transactions transactions{database};
    const support::stopwatch watch;
    co_await transactions.run([&](dynalease::transaction& tx) -> asio::awaitable<void> {
        for (int i = 0; i < seats; ++i) tx.insert(table, {{"seat", seat(i)}, {"state", "free"}});
        co_return;
    });
    const auto made_now = co_await closed(table);
    expect(made_now == 0, "1. " + std::to_string(seats) + " seats were made, all or none, in " +
                              std::to_string(static_cast<int>(watch.seconds() * 1000)) + " ms");

    const std::vector<std::string> command{support::own_path(), endpoint};
    support::child_process child(command);
    child.wait();
    const auto left = co_await transactions.look(closing);
    expect(left.state == dynalease::transaction_state::committed && !left.done,
           "2. a process has died while it closed them: committed, and half of the seats not given back yet");

    const auto first = co_await transactions.read(table, seat(0));
    const auto last = co_await transactions.read(table, seat(seats - 1));
    expect(*dynalease::find_string(*first, "state") == "closed" && *dynalease::find_string(*last, "state") == "closed",
           "   a reader of the latest state sees each of them closed, whether given back or not");

    dynalease::sweep_options soon;
    soon.older_than = std::chrono::seconds(1);
    const auto swept = co_await transactions.sweep(soon);
    const auto count = co_await closed(table);
    expect(swept.finished == 1 && count == seats,
           "3. a sweep has rolled it forward: all " + std::to_string(seats) + " seats are closed, and nothing is held");
}

}  // namespace

int main(int count, char** values) {
    asio::io_context io;
    if (count == 2) {  // the child: begin, a lock for each item, the commit, and half of the unlocks
        const dynalease::client client{io.get_executor(), support::local_client_options(values[1])};
        const dynalease::database dying{std::make_shared<support::dying_network>(client, 2 + seats + seats / 2)};
        return support::run(io, io.get_executor(), close_all(dying));
    }
    const support::local_server server;
    const dynalease::client client{io.get_executor(), support::local_client_options(server.endpoint())};
    return support::run(io, io.get_executor(), play(client, server.endpoint()));
}
