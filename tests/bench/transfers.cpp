// Transfers between accounts, 64 at a time: how many are committed in a second, and how many attempts that takes.
//
// usage: bench_transfers [TRANSFERS]; exits with 1 if money was made or lost.
// SPDX-License-Identifier: BSL-1.0
#include "support/at_once.hpp"
#include "support/json_line.hpp"
#include "support/local_server.hpp"
#include "support/requests_sent.hpp"
#include "support/run_awaitable.hpp"
#include "support/stopwatch.hpp"

#include <dynalease/client.hpp>
#include <dynalease/coordination_table.hpp>
#include <dynalease/transaction.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/describe/class.hpp>

#include <cstddef>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

namespace asio = boost::asio;

namespace {

struct account {
    std::string name{};
    std::int64_t balance = 0;
};
BOOST_DESCRIBE_STRUCT(account, (), (name, balance))

using accounts = dynalease::versioned<account>;
using dynalease::transaction_tier;
constexpr std::size_t width = 64;
constexpr std::int64_t funds = 1000;

struct plan {
    accounts table;
    dynalease::transactions transactions;
    std::string prefix;
    std::size_t count;
    transaction_tier tier;
    std::size_t attempts = 0;
    std::mt19937_64 chance{4711};

    std::string draw() { return prefix + std::to_string(chance() % count); }
};

asio::awaitable<void> move_one(plan& all) {
    const auto from = all.draw();
    auto to = all.draw();
    while (to == from) to = all.draw();
    const dynalease::run_options options{.attempts = 100'000, .within = std::chrono::hours(1), .tier = all.tier};
    co_await all.transactions.run(
        [&](dynalease::transaction& tx) -> asio::awaitable<void> {
            ++all.attempts;
            auto payer = co_await tx.get(all.table, from);
            auto payee = co_await tx.get(all.table, to);
            --payer->balance;
            ++payee->balance;
            tx.put(all.table, *payer);
            tx.put(all.table, *payee);
        },
        options);
}

asio::awaitable<void> open_account(plan& all, std::size_t number) {
    const account fresh{.name = all.prefix + std::to_string(number), .balance = funds};
    co_await all.table.create(fresh);
}

asio::awaitable<void> measure_one(dynalease::client& client, std::size_t count, transaction_tier tier,
                                  std::size_t transfers) {
    const bool native = tier == transaction_tier::native;
    const std::string name = native ? "transfers_native" : "transfers_undo";
    plan all{{client, {.table = "bench", .key = "name"}},
             dynalease::transactions(client),
             name + "-" + std::to_string(count) + "/",
             count,
             tier};
    co_await support::at_once(width, count, [&](std::size_t i) { return open_account(all, i); });
    const auto before = support::requests_sent(client);
    const support::stopwatch watch;
    co_await support::at_once(width, transfers, [&](std::size_t) { return move_one(all); });
    const auto seconds = watch.seconds();
    const auto requests = support::requests_sent(client) - before;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto found = co_await all.transactions.read(all.table, all.prefix + std::to_string(i));
        sum += found->balance;
    }
    const auto each = [&](std::size_t value) { return static_cast<double>(value) / static_cast<double>(transfers); };
    support::json_line()
        .add("bench", name)
        .add("accounts", count)
        .add("contenders", width)
        .add("value", static_cast<double>(transfers) / seconds, 0)
        .add("unit", "transfers per second")
        .add("attempts_per_transfer", each(all.attempts))
        .add("aborted", 1 - static_cast<double>(transfers) / static_cast<double>(all.attempts))
        .add("requests_per_transfer", each(requests))
        .print();
    if (sum != static_cast<std::int64_t>(count) * funds) throw std::runtime_error("money was made or lost");
}

asio::awaitable<void> measure(dynalease::client& client, std::size_t transfers) {
    dynalease::create_table_request make;
    make.table_name = "bench";
    make.key.hash.name = "name";
    co_await client.execute(make);
    co_await dynalease::create_table(client, "coordination");
    for (const auto tier : {transaction_tier::native, transaction_tier::inline_undo}) {
        for (const std::size_t count : {1'000U, 10U}) {
            co_await measure_one(client, count, tier, transfers);
        }
    }
    client.close();
}

}  // namespace

int main(int argument_count, char** values) {
    const support::local_server server;
    asio::io_context io{1};
    auto options = support::local_client_options(server.endpoint());
    options.connections = width;
    dynalease::client client{io.get_executor(), options};
    const std::size_t transfers = argument_count > 1 ? std::stoull(values[1]) : 4'000;
    return support::run(io, client.get_executor(), measure(client, transfers));
}
