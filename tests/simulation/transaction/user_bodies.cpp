// The bodies of transactions: what is read and written for a wish.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/transaction/process.hpp"
#include "simulation/transaction/user.hpp"
#include "simulation/transaction/world.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <algorithm>
#include <utility>

namespace dynalease::simulation::transfers {

namespace asio = boost::asio;

namespace {

key_values key_of(std::size_t item) {
    return {item_history::name_of(item), "-"};
}

item_state seen_in(const std::optional<account>& value) {
    if (!value) return {};
    return {.there = true, .balance = value->balance, .entries = value->entries};
}

update_expression appended(std::int64_t number) {
    const attribute_value mine(attribute_list{attribute_value(number)});
    return set("entries", list_append(path("entries"), mine));
}

update_expression raised(std::int64_t amount) {
    return set("balance", attr("balance") + amount);
}

}  // namespace

account user::fresh(std::size_t item, std::int64_t balance, std::int64_t number) const {
    return {.pk = item_history::name_of(item), .sk = "-", .balance = balance, .entries = {number}};
}

asio::awaitable<void> user::body(transaction& tx, std::shared_ptr<const wish> wanted) {
    auto& world = process_.world();
    attempt_ = world.item_history().next_number();
    read_.clear();
    demanded_.clear();
    if (wanted->id.empty()) world.know({.id = tx.id(), .drawn = true});
    std::optional<std::int64_t> under;
    if (guarded_) {
        tx.require(guard_);
        under = guard_.fencing_token();
    }
    for (const auto each : wanted->reads) {
        auto reading = get(tx, each);
        co_await std::move(reading);
    }
    for (const auto each : wanted->checks) check(tx, each);
    if (!world.calm()) {
        const auto longest = static_cast<std::uint64_t>(world.made_of().longest_thought.count());
        const std::chrono::milliseconds thought(world.choices().choose("body: thought", longest + 1));
        auto& clock = *process_.machine().environment().clock;
        if (thought.count() > 0) co_await clock.async_wait_until(clock.now() + thought, asio::use_awaitable);
    }
    for (const auto& each : wanted->steps) {
        auto doing = take(tx, *wanted, each);
        co_await std::move(doing);
    }
    world.item_history().tell(
        process_.name(),
        attempted{
            .attempt = attempt_, .call = call_, .id = tx.id(), .read = read_, .demanded = demanded_, .guarded = under});
}

/// A demand that was so when it was made, and soon may not be.
void user::check(transaction& tx, std::size_t item) {
    auto& world = process_.world();
    const auto least = world.calm() ? 0 : world.item_history().checked().state(item).balance;
    tx.check(accounts_, key_of(item), attr("balance") >= least);
    demanded_.push_back({.item = item, .least = least});
}

asio::awaitable<std::optional<account>> user::get(transaction& tx, std::size_t item) {
    auto reading = tx.get(accounts_, key_of(item));
    auto value = co_await std::move(reading);
    const auto seen = seen_in(value);
    const auto before = std::ranges::find(read_, item, &seen_item::item);
    if (before == read_.end()) {
        read_.push_back({.item = item, .value = seen});
    } else if (!before->value.shows_as(seen)) {
        process_.world().fail("B4", "what a transaction reads twice is another");
    }
    co_return value;
}

asio::awaitable<void> user::take(transaction& tx, const wish& wanted, const step& next) {
    const auto& [what, how] = next;
    std::optional<account> before;
    if (how == way::read_first) {
        auto reading = get(tx, what.item);
        before = co_await std::move(reading);
    }
    switch (what.what) {
        case deed::add: {
            auto adding = add(tx, wanted, next);
            co_await std::move(adding);
            co_return;
        }
        case deed::insert:
            if (before) throw gave_up{};
            tx.insert(accounts_, fresh(what.item, how == way::in_steps ? 0 : what.amount, wanted.number));
            if (how == way::in_steps) tx.put(accounts_, fresh(what.item, what.amount, wanted.number));
            co_return;
        case deed::erase:
            if (how == way::read_first && !before) throw gave_up{};
            tx.erase(accounts_, key_of(what.item));
            co_return;
        case deed::put: {
            const auto kept = what.absorbs && before ? before->balance : 0;
            tx.put(accounts_, fresh(what.item, kept + what.amount, wanted.number));
            if (how == way::in_steps) tx.put(accounts_, fresh(what.item, kept + what.amount, wanted.number));
            co_return;
        }
    }
}

asio::awaitable<void> user::add(transaction& tx, const wish& wanted, const step& next) {
    const auto& [what, how] = next;
    auto amount = what.amount;
    if (what.absorbs) {
        auto reading = get(tx, *what.absorbs);
        const auto erased = co_await std::move(reading);
        if (!erased) throw gave_up{};
        amount += erased->balance;
    }
    if (how == way::read_first) {
        auto reading = get(tx, what.item);
        auto value = co_await std::move(reading);
        if (!value || value->balance + amount < 0) throw gave_up{};
        value->balance += amount;
        value->entries.push_back(wanted.number);
        tx.put(accounts_, *value);
        auto again = tx.get(accounts_, key_of(what.item));
        const auto own = co_await std::move(again);
        if (!own || own->entries != value->entries)
            process_.world().fail("B4", "a transaction does not see what it has written");
        co_return;
    }
    // More than one row can keep of a few items.
    update_expression heavy;
    const auto& ballast = process_.world().made_of().ballast;
    if (ballast > 0) heavy = set("ballast", std::string(ballast, 'x'));
    condition_expression enough;
    if (amount < 0) enough = attr("balance") >= -amount;
    if (how == way::unread) {
        tx.update(accounts_, key_of(what.item), appended(wanted.number) + raised(amount) + heavy, enough);
        co_return;
    }
    tx.update(accounts_, key_of(what.item), appended(wanted.number) + heavy, enough);
    tx.update(accounts_, key_of(what.item), raised(amount / 2) + heavy);
    tx.update(accounts_, key_of(what.item), raised(amount - amount / 2));
}

}  // namespace dynalease::simulation::transfers
