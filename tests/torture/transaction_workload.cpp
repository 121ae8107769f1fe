// Each run of a transfer tells the judge what it was told; what it left undecided is for others to end.
// SPDX-License-Identifier: BSL-1.0
#include "torture/transaction_workload.hpp"

#include "torture/settings.hpp"

#include <dynalease/lock.hpp>

#include <exception>
#include <utility>

namespace torture {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

static_assert(static_cast<std::int64_t>(dynalease::transaction_state::committed) == committed_state);

/// What a run that lost to others is told, or one whose condition did not hold.
bool lost_to_others(const dynalease::error_code& code) {
    return code == dynalease::errc::conflict || code == dynalease::errc::condition_failed;
}

/// One run of a transfer, which others may run too.
asio::awaitable<void> pay_once(const bank& at, const post& self, const transfer& wanted,
                               const dynalease::lock_guard* vault) {
    const auto number = boot_time().count();
    const auto by = self.tell.who() + '/' + std::to_string(self.tell.task()) + '/' + std::to_string(number);
    auto id = wanted.options.id.value_or("");
    const auto body = [&](dynalease::transaction& tx) -> asio::awaitable<void> {
        id = tx.id();
        self.tell.report({.kind = what::ordered, .name = id, .token = number});
        if (vault) tx.require(*vault);
        return carry_out(tx, at, wanted, by);
    };
    auto came_of_it = what::committed;
    std::exception_ptr failure;
    try {
        co_await at.transactions.run(body, wanted.options);
    } catch (const funds_are_short&) {
        came_of_it = what::failed;
    } catch (const dynalease::error& why) {
        came_of_it = why.code() == dynalease::errc::in_doubt ? what::doubted : what::failed;
        if (!lost_to_others(why.code())) failure = std::current_exception();
    }
    self.tell.report({.kind = came_of_it, .name = id, .token = number});
    if (failure && came_of_it == what::failed) std::rethrow_exception(failure);
}

asio::awaitable<void> pay(dynalease::session& session, const bank& at, const post& self) {
    const auto now = std::chrono::duration_cast<std::chrono::seconds>(boot_time()).count();
    const auto wanted = draw_transfer(self.chance, now);
    if (wanted.opened) co_await open_receipt(at, wanted);
    if (self.chance.chance(60)) {
        const dynalease::lock lock{session, "vault"};
        dynalease::acquire_options options;
        options.wait = 300ms;
        auto vault = co_await lock.acquire(std::move(options));
        co_await pay_once(at, self, wanted, &vault);
        co_await vault.release();
        co_return;
    }
    constexpr int most_runs = 3;
    for (int runs = 0; runs < most_runs; ++runs) {
        co_await pay_once(at, self, wanted, nullptr);
        if (!wanted.options.id || !self.chance.chance(400)) co_return;
    }
}

/// All accounts as they were at one moment.
asio::awaitable<void> sum_at_once(const bank& at, const post& self) {
    std::vector<dynalease::key_values> names;
    for (std::size_t i = 0; i < account_count; ++i) names.emplace_back(account_name(i));
    const auto found = co_await at.transactions.read_together(at.accounts, std::move(names));
    std::int64_t all = 0;
    for (const auto& each : found) all += each.value().balance;
    self.tell.report({.kind = what::summed, .value = all});
}

asio::awaitable<void> sum(const bank& at, const post& self) {
    if (self.chance.chance(500)) {
        co_await sum_at_once(at, self);
        co_return;
    }
    const auto first = self.chance.below(account_count);
    const auto body = [&](dynalease::transaction& tx) -> asio::awaitable<std::int64_t> {
        std::int64_t all = 0;
        for (std::size_t i = 0; i < account_count; ++i) {
            const auto each = co_await tx.get(at.accounts, account_name((first + i) % account_count));
            all += each.value().balance;
        }
        co_return all;
    };
    dynalease::run_options options;
    options.within = 3s;
    if (self.chance.chance(300)) options.tier = dynalease::transaction_tier::inline_undo;
    const auto all = co_await at.transactions.run(body, std::move(options));
    self.tell.report({.kind = what::summed, .value = all});
}

/// A plain write to an item of transactions, which leaves the sum as it is.
asio::awaitable<void> note(const bank& at, const post& self) {
    const auto name = account_name(self.chance.below(account_count));
    if (self.chance.chance(500)) {
        const auto one_more = dynalease::add("notes", 1);
        co_await at.accounts.blind(name, one_more);
        co_return;
    }
    const auto noted = [](account value) {
        ++value.notes;
        return value;
    };
    dynalease::update_options options;
    options.wait = 3s;
    co_await at.accounts.update(name, noted, options);
}

/// Ends a transaction of somebody else, who may be dead or at work, or looks at it.
asio::awaitable<void> tend(const bank& at, const post& self) {
    const auto open = co_await at.transactions.list();
    if (open.empty()) co_return;
    const auto& id = open[self.chance.below(open.size())].id;
    const auto begun = boot_time();
    dynalease::transaction_state state{};
    const auto way = self.chance.below(3);
    if (way == 0) {
        state = co_await at.transactions.resume(id);
    } else if (way == 1) {
        state = co_await at.transactions.roll_back(id);
    } else {
        const auto seen = co_await at.transactions.look(id);
        state = seen.state;
    }
    self.tell.report({.kind = way == 2 ? what::looked_up : what::settled,
                      .at = begun,
                      .until = boot_time(),
                      .name = id,
                      .value = static_cast<std::int64_t>(state)});
}

asio::awaitable<void> sweep(const bank& at, const post& self) {
    const dynalease::sweep_options options{.older_than = lease, .pace = 1ms};
    const auto done = co_await at.transactions.sweep(options);
    const auto ended = done.rolled_back + done.finished;
    self.tell.report({.kind = what::swept, .value = static_cast<std::int64_t>(ended)});
}

asio::awaitable<void> some_work(dynalease::session& session, const bank& at, const post& self) {
    const auto kind = self.chance.below(100);
    if (kind < 55) return pay(session, at, self);
    if (kind < 80) return sum(at, self);
    if (kind < 90) return note(at, self);
    if (kind < 98) return tend(at, self);
    return sweep(at, self);
}

}  // namespace

asio::awaitable<void> transaction_workload::turn(dynalease::session& session, const post& self) const {
    const bank at(self.store);
    try {
        co_await some_work(session, at, self);
    } catch (const dynalease::error& why) {
        if (!lost_to_others(why.code())) throw;
    }
}

asio::awaitable<void> transaction_workload::prepare(dynalease::database store) const {
    return open_bank(std::move(store));
}

asio::awaitable<void> transaction_workload::take_stock(dynalease::database store, witness& tell) const {
    return audit_bank(std::move(store), tell);
}

}  // namespace torture
