// Processes that move money between accounts, which are versioned items.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/world.hpp"

#include <dynalease/transaction.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/describe/class.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace dynalease::tests {

struct account {
    std::string name{};
    int balance = 0;
    std::optional<std::string> note{};
};
BOOST_DESCRIBE_STRUCT(account, (), (name, balance, note))

using accounts = versioned<account>;
inline constexpr auto as_pair = asio::as_tuple(asio::deferred);

struct insufficient_funds : std::runtime_error {
    insufficient_funds() : std::runtime_error("insufficient funds") {}
};

inline account worth(std::string name, int balance) {
    return {.name = std::move(name), .balance = balance};
}

/// Whose runs may go on in another process.
inline constexpr const char* order_id = "order-4711";

/// A test that takes one of these runs once in each.
transaction_tier tiers();

inline run_options by(transaction_tier tier, std::optional<std::string> id = {}) {
    return {.id = std::move(id), .tier = tier};
}

inline asio::awaitable<void> transfer(transaction& tx, const accounts& book, std::string from, std::string to,
                                      int amount) {
    auto payer = co_await tx.get(book, from);
    auto payee = co_await tx.get(book, to);
    if (!payer || !payee || payer->balance < amount) throw insufficient_funds{};
    payer->balance -= amount;
    payee->balance += amount;
    tx.put(book, *payer);
    tx.put(book, *payee);
}

/// One store, and processes that share it.
class bank {
public:
    explicit bank(std::uint64_t seed = 0) : where(seed), a(where, seed + 1), b(where, seed + 2) {
        where.apply(create_table_request{.table_name = "accounts", .key = {.hash = {.name = "name"}}});
    }

    static accounts table_of(node& in) { return {database(in.network), {.table = "accounts", .key = "name"}}; }
    static transactions transactions_of(node& in, transactions_options options = {}) {
        return transactions(database(in.network), std::move(options));
    }

    template <class Body, class... Arguments>
    void in_a(Body body, Arguments&&... arguments) {
        run(where, a, body(*this, std::forward<Arguments>(arguments)...));
    }

    /// As one who knows nothing of the library has stored it.
    void has(const std::string& name, int balance) {
        where.apply(put_item_request{.table_name = "accounts", .new_item = {{"name", name}, {"balance", balance}}});
    }
    item stored(const std::string& name) {
        auto read = where.apply(get_item_request{.table_name = "accounts", .key = {{"name", name}}});
        return read.found.value_or(item{});
    }
    std::int64_t balance(const std::string& name) { return find_integer(stored(name), "balance").value_or(-1); }
    bool is_marked(const std::string& name) { return stored(name).contains("_TxId"); }

    std::size_t requests(const node& of) const { return of.network->log().size(); }
    std::size_t requests(const node& of, std::string_view operation) const {
        std::size_t count = 0;
        for (const auto& entry : of.network->log()) count += entry->operation == operation ? 1 : 0;
        return count;
    }

    /// Nothing leaves the process any more after so many writes.
    static void stop_after(node& of, std::size_t writes) {
        auto left = std::make_shared<std::size_t>(writes);
        of.network->set_plan([left](const any_request& request, const call_options&) -> testing::fault {
            if (!is_write(request)) return {};
            if (*left == 0) return {.what = testing::fault::kind::hold};
            --*left;
            return {};
        });
    }

    /// Process a dies in the middle of a transfer of 30 from ann to bob: nothing leaves it after so many writes. 3:
    /// both items are locked; 4: it is committed.
    void a_dies_after(std::size_t writes, const char* id) {
        stop_after(a, writes);
        const auto body = [](bank& in, std::string as) -> asio::awaitable<void> {
            const auto book = table_of(in.a);
            const auto all = transactions_of(in.a);
            const run_options options{.id = std::move(as), .tier = transaction_tier::inline_undo};
            co_await all.run([&](auto& tx) { return transfer(tx, book, "ann", "bob", 30); }, options);
        };
        running stuck(where, a, body(*this, id));
        const auto until = where.scheduler.now() + std::chrono::seconds(2);
        while (where.scheduler.now() < until && where.scheduler.step()) {
        }
        if (stuck.done()) throw std::logic_error("it was done before it died");
        a.crash();
    }

    world where;
    node a;
    node b;
};

/// From ann to bob, by a run of process b.
inline asio::awaitable<void> transfer_elsewhere(bank& in, int amount, run_options how) {
    const auto book = bank::table_of(in.b);
    const auto all = bank::transactions_of(in.b);
    co_await all.run([&](auto& tx) { return transfer(tx, book, "ann", "bob", amount); }, std::move(how));
}

/// Whether it is refused for want of money.
inline asio::awaitable<bool> lacks_funds(asio::awaitable<void> running) {
    try {
        co_await std::move(running);
    } catch (const insufficient_funds&) {
        co_return true;
    }
    co_return false;
}

}  // namespace dynalease::tests
