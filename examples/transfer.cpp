// Transactions, step by step: money moves between two accounts; a process dies in the middle, another one goes on.
//
// It starts a DynamoDB of its own, and itself once more for the process that dies.
// SPDX-License-Identifier: BSL-1.0
#include "support/child_process.hpp"
#include "support/dying_network.hpp"
#include "support/local_server.hpp"
#include "support/run_awaitable.hpp"

#include <dynalease/client.hpp>
#include <dynalease/coordination_table.hpp>
#include <dynalease/transaction.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/describe/class.hpp>

#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace asio = boost::asio;

namespace {

struct account {
    std::string name{};
    int balance = 0;
};
BOOST_DESCRIBE_STRUCT(account, (), (name, balance))

using accounts = dynalease::versioned<account>;

struct insufficient_funds : std::runtime_error {
    insufficient_funds() : std::runtime_error("insufficient funds") {}
};

asio::awaitable<void> transfer(dynalease::transaction& tx, const accounts& table, std::string from, std::string to,
                               int amount) {
    auto payer = co_await tx.get(table, from);
    auto payee = co_await tx.get(table, to);
    if (!payer || !payee || payer->balance < amount) throw insufficient_funds{};  // nothing happens
    payer->balance -= amount;
    payee->balance += amount;
    tx.put(table, *payer);
    tx.put(table, *payee);
}

constexpr const char* order = "order-4711";

/// What both processes do: the id says that it is one transfer, whoever carries it out.
asio::awaitable<void> pay_order(dynalease::database database, dynalease::transaction_tier tier) {
    const accounts table{database, {.table = "accounts", .key = "name"}};
    const dynalease::transactions transactions{database};
    const dynalease::run_options options{.id = order, .tier = tier};
    co_await transactions.run([&](auto& tx) { return transfer(tx, table, "ann", "bob", 30); }, options);
}

void expect(bool holds, const char* what) {
    if (!holds) throw std::runtime_error(what);
    std::cout << what << '\n';
}

asio::awaitable<bool> are(accounts table, int ann, int bob) {
    const auto first = co_await table.load("ann");
    const auto second = co_await table.load("bob");
    co_return first->value.balance == ann && second->value.balance == bob;
}

asio::awaitable<void> play(dynalease::database database, std::string endpoint) {
    dynalease::create_table_request made;
    made.table_name = "accounts";
    made.key.hash.name = "name";
    co_await database.execute(made);
    co_await dynalease::create_table(database, "coordination");
    const accounts table{database, {.table = "accounts", .key = "name"}};
    const dynalease::transactions transactions{database};
    const account ann{.name = "ann", .balance = 100};
    const account bob{.name = "bob", .balance = 20};
    co_await transactions.run([&](dynalease::transaction& tx) -> asio::awaitable<void> {
        tx.insert(table, ann);
        tx.insert(table, bob);
        co_return;
    });

    co_await transactions.run([&](auto& tx) { return transfer(tx, table, "ann", "bob", 10); });
    const bool moved = co_await are(table, 90, 30);
    expect(moved, "1. money has moved from one account to the other, by one request");

    bool refused = false;
    try {
        co_await transactions.run([&](auto& tx) { return transfer(tx, table, "ann", "bob", 1000); });
    } catch (const insufficient_funds&) {
        refused = true;
    }
    expect(refused, "2. what the body throws is thrown on, and nothing has happened");

    // The child goes the longer way, item by item, as transactions of more than 100 items do.
    const std::vector<std::string> command{support::own_path(), endpoint};
    support::child_process child(command);
    child.wait();
    const auto left = co_await transactions.look(order);
    expect(left.state == dynalease::transaction_state::pending && left.items.size() == 2,
           "3. a process has died in the middle of a transfer, with both accounts changed and nothing decided");
    const bool as_before = co_await are(table, 90, 30);
    expect(as_before, "   whoever reads an account sees it as it was");

    const auto end = co_await transactions.resume(order);
    const bool paid = co_await are(table, 60, 60);
    expect(end == dynalease::transaction_state::committed && paid,
           "4. this process has carried it on, by its id alone (or would have rolled it back, as a sweep does)");

    const std::vector<dynalease::key_values> names{"ann", "bob"};
    const auto both = co_await transactions.read_together(table, names);
    expect(both[0]->balance + both[1]->balance == 120,
           "   both accounts, as they were at one moment, hold what they held at the beginning");

    co_await pay_order(database, dynalease::transaction_tier::automatic);
    const bool once = co_await are(table, 60, 60);
    expect(once, "5. the same id again does nothing: it has happened, once");
}

}  // namespace

int main(int count, char** values) {
    asio::io_context io;
    if (count == 2) {  // the child: its fourth write, the commit, does not leave
        const dynalease::client client{io.get_executor(), support::local_client_options(values[1])};
        const dynalease::database dying{std::make_shared<support::dying_network>(client, 3)};
        return support::run(io, io.get_executor(), pay_order(dying, dynalease::transaction_tier::inline_undo));
    }
    const support::local_server server;
    const dynalease::client client{io.get_executor(), support::local_client_options(server.endpoint())};
    return support::run(io, io.get_executor(), play(client, server.endpoint()));
}
