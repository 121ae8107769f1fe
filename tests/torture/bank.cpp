// The audit asks the store itself: nothing of the library's stands between it and what lies there but the sweep.
// SPDX-License-Identifier: BSL-1.0
#include "torture/bank.hpp"

#include "torture/settings.hpp"

#include <dynalease/dynamodb/pages.hpp>
#include <dynalease/dynamodb/table_operations.hpp>

#include <boost/asio/deferred.hpp>
#include <boost/asio/steady_timer.hpp>

#include <stdexcept>
#include <utility>

namespace torture {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr const char* accounts_table = "accounts";
constexpr const char* receipts_table = "receipts";

dynalease::versioned_options options_of(const char* name) {
    dynalease::versioned_options options{.table = name, .key = "id"};
    options.resolve_within = 2 * request_limit;
    return options;
}

dynalease::transactions_options transactions_options() {
    dynalease::transactions_options options;
    options.table = std::string(table);
    options.patience = lease;
    options.wait = 3 * lease;
    return options;
}

asio::awaitable<void> make_table(dynalease::database store, const char* name) {
    dynalease::create_table_request made;
    made.table_name = name;
    made.key.hash.name = "id";
    co_await store.execute(std::move(made));
}

asio::awaitable<std::vector<dynalease::item>> all_of(dynalease::database store, std::string name) {
    dynalease::scan_request request;
    request.table_name = std::move(name);
    request.consistent_read = true;
    dynalease::pages<dynalease::scan_request> pages{store, request};
    std::vector<dynalease::item> all;
    for (;;) {
        auto page = co_await pages.next();
        if (!page) break;
        for (auto& each : page->items) all.push_back(std::move(each));
    }
    co_return all;
}

/// Until nothing is listed any more; if that does not come to be, what is left is told.
asio::awaitable<void> sweep_all(const bank& at) {
    constexpr int most_sweeps = 10;
    for (int sweeps = 0; sweeps < most_sweeps; ++sweeps) {
        // One at least: what late copies of locks have marked stands in no row that is open.
        const dynalease::sweep_options at_once{.older_than = lease, .pace = 0ms};
        co_await at.transactions.sweep(at_once);
        const auto open = co_await at.transactions.list();
        if (open.empty()) break;
    }
}

/// Tells which items have marks. @returns their ids
asio::awaitable<std::vector<std::string>> tell_marked(dynalease::database store, std::string name, what kind,
                                                      witness& tell) {
    std::vector<std::string> marked;
    const auto items = co_await all_of(store, std::move(name));
    for (const auto& each : items) {
        const auto mark = each.lower_bound("_Tx");
        if (mark == each.end() || !mark->first.starts_with("_Tx")) continue;
        const auto* holder = dynalease::find_string(each, "_TxId");
        marked.push_back(*dynalease::find_string(each, "id"));
        tell.report({.kind = kind, .name = marked.back(), .session = holder ? *holder : mark->first});
    }
    co_return marked;
}

/// A late copy of a lock may mark an item whose transaction is over, which no sweep sees: whoever meets it, frees it.
template <class T>
asio::awaitable<void> meet(const bank& at, const dynalease::versioned<T>& items, const std::vector<std::string>& ids,
                           const char* number) {
    for (const auto& id : ids) {
        const auto touch = [&](dynalease::transaction& tx) -> asio::awaitable<void> {
            tx.update(items, id, dynalease::add(number, 0));
            co_return;
        };
        co_await at.transactions.run(touch);
    }
}

/// "2.5/1/4711"
event of_run(const std::string& by) {
    const auto first = by.find('/');
    const auto second = by.find('/', first + 1);
    if (second == by.npos) throw std::runtime_error("a receipt by nobody: " + by);
    return {.kind = what::receipt,
            .who = by.substr(0, first),
            .task = std::stoll(by.substr(first + 1, second - first - 1)),
            .token = std::stoll(by.substr(second + 1))};
}

}  // namespace

bank::bank(const dynalease::database& store)
    : accounts(store, options_of(accounts_table)),
      receipts(store, options_of(receipts_table)),
      transactions(store, transactions_options()) {}

std::string account_name(std::size_t index) {
    return "account-" + std::to_string(index);
}

asio::awaitable<void> open_bank(dynalease::database store) {
    co_await make_table(store, accounts_table);
    co_await make_table(store, receipts_table);
    const bank opened(store);
    for (std::size_t i = 0; i < account_count; ++i) {
        const account made{.id = account_name(i), .balance = opening_balance};
        co_await opened.accounts.create(made);
    }
}

asio::awaitable<void> audit_bank(dynalease::database store, witness& tell) {
    // By then all has landed that the proxies hold.
    asio::steady_timer calm(store.get_executor(), 5s);
    co_await calm.async_wait(asio::deferred);
    const bank at(store);
    co_await sweep_all(at);

    const auto rows = co_await all_of(store, std::string(table));
    for (const auto& each : rows) {
        const auto* key = dynalease::find_string(each, "pk");
        const bool over = each.contains("done") || each.contains("until");
        if (!key || !key->starts_with("tx#") || over) continue;
        tell.report({.kind = what::left, .name = *key});
    }
    const auto marked_receipts = co_await tell_marked(store, receipts_table, what::stray, tell);
    const auto marked_accounts = co_await tell_marked(store, accounts_table, what::stray, tell);
    co_await meet(at, at.receipts, marked_receipts, "count");
    co_await meet(at, at.accounts, marked_accounts, "notes");
    co_await tell_marked(store, receipts_table, what::left, tell);
    co_await tell_marked(store, accounts_table, what::left, tell);

    const auto receipts = co_await all_of(store, receipts_table);
    std::vector<std::int64_t> expected(account_count, opening_balance);
    for (const auto& each : receipts) {
        const auto read = dynalease::from_item<receipt>(each);
        if (read.count == 0) continue;  // of a transfer that was prepared, and did not happen
        auto found = of_run(read.by);
        found.name = read.id;
        found.value = read.count;
        tell.report(std::move(found));
        for (std::size_t i = 0; i < account_count; ++i) expected[i] += read.moved.at(i);
    }
    for (std::size_t i = 0; i < account_count; ++i) {
        const auto there = co_await at.accounts.load(account_name(i));
        tell.report({.kind = what::balance,
                     .name = account_name(i),
                     .token = expected[i],
                     .value = there ? there->value.balance : -1});
    }
}

}  // namespace torture
