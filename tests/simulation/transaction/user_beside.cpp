// What callers do beside transactions of their own: read, write plainly, and see to those of others.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/transaction/user.hpp"
#include "simulation/transaction/process.hpp"
#include "simulation/transaction/world.hpp"

#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace dynalease::simulation::transfers {

namespace asio = boost::asio;

asio::awaitable<void> caller::read_beside() {
    auto& world = site_.world();
    auto& ledger = world.ledger();
    constexpr std::array levels{isolation::latest, isolation::committed, isolation::uncommitted};
    const auto level = levels[world.choices().choose("caller: isolation", levels.size())];
    const auto item = world.choices().choose("caller: item", ledger.items());
    const key_values key{ledger::name_of(item), "-"};
    const auto since = ledger.judged().now(item);
    next_operation();
    std::optional<account> value;
    try {
        auto reading = all_.read(accounts_, key, level);
        value = co_await std::move(reading);
    } catch (const error&) {
        next_operation();
        co_return;
    }
    next_operation();
    item_state seen;
    if (value) seen = {.there = true, .balance = value->balance, .entries = value->entries};
    ledger.tell(site_.name(), shown{.what = {.item = item, .value = seen}, .since = since, .level = level});
}

/// All accounts, or two items: whoever sees them all sees all the money.
asio::awaitable<void> caller::read_together() {
    auto& world = site_.world();
    auto& choices = world.choices();
    auto& ledger = world.ledger();
    std::vector<std::size_t> items;
    if (choices.choose("caller: all together", 3) != 0) {
        for (std::size_t i = 0; i < ledger.items(); ++i) items.push_back(i);
    } else {
        const auto first = choices.choose("caller: item", ledger.items());
        items = {first, (first + 1) % ledger.items()};
    }
    std::vector<key_values> keys;
    for (const auto each : items) keys.push_back({ledger::name_of(each), "-"});
    const auto since = ledger.judged().events();
    next_operation();
    auto done = co_await all_.read_together(accounts_, std::move(keys), cancellable());
    next_operation();
    const error_code code = std::get<0>(done);
    if (code == errc::transaction_conflict) world.run().census.hit("no moment found");
    if (code) co_return;
    world.run().census.hit("read together");
    shown_together seen{.number = ledger.next_number(), .since = since};
    const auto& values = std::get<1>(done);
    for (std::size_t i = 0; i < items.size(); ++i) {
        item_state state;
        if (values[i]) state = {.there = true, .balance = values[i]->balance, .entries = values[i]->entries};
        seen.read.push_back({.item = items[i], .value = std::move(state)});
    }
    ledger.tell(site_.name(), std::move(seen));
}

asio::awaitable<void> caller::write_plainly() {
    auto& world = site_.world();
    auto& ledger = world.ledger();
    auto& choices = world.choices();
    const auto item = choices.choose("caller: account", ledger.accounts());
    const key_values key{ledger::name_of(item), "-"};
    const auto number = ledger.next_number();
    error_code code;
    next_operation();
    if (choices.choose("caller: saves", 2) == 1) {
        auto found = co_await accounts_.load(key, {}, cancellable());
        auto& loaded_one = std::get<1>(found);
        if (std::get<0>(found) || !loaded_one) co_return;
        co_await sleep_up_to("caller: thought", world.made_of().longest_thought);
        if (world.stopping()) co_return;
        ledger.tell(site_.name(), plain_wished{.number = number, .item = item});
        loaded_one->value.entries.push_back(number);
        next_operation();
        auto done = co_await accounts_.save(*loaded_one, {}, cancellable());
        code = std::get<0>(done);
    } else {
        ledger.tell(site_.name(), plain_wished{.number = number, .item = item});
        auto change = [number](account value) {
            value.entries.push_back(number);
            return value;
        };
        auto done = co_await accounts_.update(key, std::move(change), {}, cancellable());
        code = std::get<0>(done);
    }
    next_operation();
    if (!code) world.run().census.hit("plain write done");
    ledger.tell(site_.name(), told_plain{.number = number, .what = code ? answer::doubt : answer::done});
}

asio::awaitable<void> caller::end_another() {
    auto& world = site_.world();
    auto& choices = world.choices();
    auto& census = world.run().census;
    if (world.ids().empty()) co_return;
    const auto [id, drawn] = world.ids()[choices.choose("caller: whose", world.ids().size())];
    const bool before = world.ledger().judged().is_committed(id);
    const auto way = choices.choose("caller: what with it", 4);
    next_operation();
    auto state = transaction_state::pending;
    if (way == 0) {
        auto done = co_await all_.look(id, cancellable());
        if (std::get<0>(done)) co_return;
        state = std::get<1>(done).state;
    } else if (way == 3) {
        auto done = co_await all_.roll_back(id, cancellable());
        if (std::get<0>(done)) co_return;
        state = std::get<1>(done);
        if (state == transaction_state::rolled_back) census.hit("rolled back by another");
    } else {
        auto done = co_await all_.resume(id, cancellable());
        if (std::get<0>(done)) co_return;
        state = std::get<1>(done);
        if (state == transaction_state::committed && !before) census.hit("carried on by another");
    }
    next_operation();
    world.ledger().tell(site_.name(), told_of{.id = id, .what = state, .committed_before = before, .drawn = drawn});
}

asio::awaitable<void> caller::sweep() {
    auto& world = site_.world();
    const auto longest = static_cast<std::uint64_t>(world.made_of().longest_age.count());
    const std::chrono::milliseconds age(world.choices().choose("caller: older than", longest + 1));
    next_operation();
    sweep_options how{.older_than = age};
    auto done = co_await all_.sweep(how, cancellable());
    next_operation();
    const auto& report = std::get<1>(done);
    auto& census = world.run().census;
    if (report.rolled_back != 0) census.hit("swept before it was decided");
    if (report.finished != 0) census.hit("swept after it was decided");
}

/// Each item as it was committed at some moment since the walk began; one that no page shows, was not there then.
asio::awaitable<void> caller::read_pages() {
    auto& world = site_.world();
    auto& ledger = world.ledger();
    std::vector<std::uint64_t> since;
    for (std::size_t i = 0; i < ledger.items(); ++i) since.push_back(ledger.judged().now(i));
    scan_request request{.table_name = table};
    request.limit = static_cast<std::int32_t>(world.choices().between("caller: page", 1, ledger.items()));
    request.consistent_read = true;
    committed_pages<scan_request> pages{site_.machine().database(), std::move(request)};
    std::map<std::string, item_state> found;
    while (!pages.at_end()) {
        next_operation();
        auto next = co_await pages.next(cancellable());
        if (std::get<0>(next)) break;
        const auto& page = std::get<1>(next);
        if (!page) break;
        for (const auto& each : *page) {
            if (each.contains("_TxId")) world.fail("B4", "a page shows a mark");
            found.insert_or_assign(*find_string(each, "pk"), state_of(each));
        }
    }
    next_operation();
    for (std::size_t i = 0; i < ledger.items(); ++i) {
        const auto there = found.find(ledger::name_of(i));
        if (there == found.end() && !pages.at_end()) continue;
        world.run().census.hit("page shown");
        auto value = there == found.end() ? item_state{} : there->second;
        ledger.tell(
            site_.name(),
            shown{.what = {.item = i, .value = std::move(value)}, .since = since[i], .level = isolation::committed});
    }
}

/// Decides nothing, whatever it meets; and leaves no mark that was there.
asio::awaitable<void> caller::free_one() {
    auto& world = site_.world();
    auto& ledger = world.ledger();
    const auto item = world.choices().choose("caller: item", ledger.items());
    const auto before = ledger.mark_on(item);
    next_operation();
    const key_values key{ledger::name_of(item), "-"};
    auto done = co_await all_.free(accounts_, key, cancellable());
    next_operation();
    const error_code code = std::get<0>(done);
    const auto after = ledger.mark_on(item);
    if (!code && std::get<1>(done)) world.run().census.hit("freed");
    if (code == errc::locked) world.run().census.hit("not freed before it was decided");
    if (!code && before && after == before) world.fail("B5", "an item was freed, and its mark is there still");
    if (before && ledger.was_rolled_back_by(before->owner, ""))
        world.fail("B2", "an item was freed of what was not decided");
}

}  // namespace dynalease::simulation::transfers
