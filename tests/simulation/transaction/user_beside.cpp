// What callers do beside transactions of their own: read, write plainly, and see to those of others.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/transaction/process.hpp"
#include "simulation/transaction/user.hpp"
#include "simulation/transaction/world.hpp"

#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace dynalease::simulation::transfers {

namespace asio = boost::asio;

asio::awaitable<void> user::read_beside() {
    auto& world = process_.world();
    auto& item_history = world.item_history();
    constexpr std::array levels{isolation::latest, isolation::committed, isolation::uncommitted};
    const auto level = levels[world.choices().choose("caller: isolation", levels.size())];
    const auto item = world.choices().choose("caller: item", item_history.items());
    const key_values key{item_history::name_of(item), "-"};
    const auto since = item_history.checked().now(item);
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
    item_history.tell(process_.name(), shown{.what = {.item = item, .value = seen}, .since = since, .level = level});
}

/// All accounts, or two items: whoever sees them all sees all the money.
asio::awaitable<void> user::read_together() {
    auto& world = process_.world();
    auto& choices = world.choices();
    auto& item_history = world.item_history();
    std::vector<std::size_t> items;
    if (choices.choose("caller: all together", 3) != 0) {
        for (std::size_t i = 0; i < item_history.items(); ++i) items.push_back(i);
    } else {
        const auto first = choices.choose("caller: item", item_history.items());
        items = {first, (first + 1) % item_history.items()};
    }
    std::vector<key_values> keys;
    for (const auto each : items) keys.push_back({item_history::name_of(each), "-"});
    const auto since = item_history.checked().events();
    next_operation();
    auto done = co_await all_.read_together(accounts_, std::move(keys), cancellable());
    next_operation();
    const error_code code = std::get<0>(done);
    if (code == errc::transaction_conflict) world.run().coverage.hit("no moment found");
    if (code) co_return;
    world.run().coverage.hit("read together");
    shown_together seen{.number = item_history.next_number(), .since = since};
    const auto& values = std::get<1>(done);
    for (std::size_t i = 0; i < items.size(); ++i) {
        item_state state;
        if (values[i]) state = {.there = true, .balance = values[i]->balance, .entries = values[i]->entries};
        seen.read.push_back({.item = items[i], .value = std::move(state)});
    }
    item_history.tell(process_.name(), std::move(seen));
}

asio::awaitable<void> user::write_plainly() {
    auto& world = process_.world();
    auto& item_history = world.item_history();
    auto& choices = world.choices();
    const auto item = choices.choose("caller: account", item_history.accounts());
    const key_values key{item_history::name_of(item), "-"};
    const auto number = item_history.next_number();
    error_code code;
    next_operation();
    if (choices.choose("caller: saves", 2) == 1) {
        auto found = co_await accounts_.load(key, {}, cancellable());
        auto& loaded_one = std::get<1>(found);
        if (std::get<0>(found) || !loaded_one) co_return;
        co_await sleep_up_to("caller: thought", world.made_of().longest_thought);
        if (world.stopping()) co_return;
        item_history.tell(process_.name(), plain_wished{.number = number, .item = item});
        loaded_one->value.entries.push_back(number);
        next_operation();
        auto done = co_await accounts_.save(*loaded_one, {}, cancellable());
        code = std::get<0>(done);
    } else {
        item_history.tell(process_.name(), plain_wished{.number = number, .item = item});
        auto change = [number](account value) {
            value.entries.push_back(number);
            return value;
        };
        auto done = co_await accounts_.update(key, std::move(change), {}, cancellable());
        code = std::get<0>(done);
    }
    next_operation();
    if (!code) world.run().coverage.hit("plain write done");
    item_history.tell(process_.name(), told_plain{.number = number, .what = code ? answer::doubt : answer::done});
}

asio::awaitable<void> user::end_another() {
    auto& world = process_.world();
    auto& choices = world.choices();
    auto& coverage = world.run().coverage;
    if (world.ids().empty()) co_return;
    const auto [id, drawn] = world.ids()[choices.choose("caller: whose", world.ids().size())];
    const bool before = world.item_history().checked().is_committed(id);
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
        if (state == transaction_state::rolled_back) coverage.hit("rolled back by another");
    } else {
        auto done = co_await all_.resume(id, cancellable());
        if (std::get<0>(done)) co_return;
        state = std::get<1>(done);
        if (state == transaction_state::committed && !before) coverage.hit("carried on by another");
    }
    next_operation();
    world.item_history().tell(process_.name(),
                              told_of{.id = id, .what = state, .committed_before = before, .drawn = drawn});
}

asio::awaitable<void> user::sweep() {
    auto& world = process_.world();
    const auto longest = static_cast<std::uint64_t>(world.made_of().longest_age.count());
    const std::chrono::milliseconds age(world.choices().choose("caller: older than", longest + 1));
    next_operation();
    sweep_options how{.older_than = age};
    auto done = co_await all_.sweep(how, cancellable());
    next_operation();
    const auto& report = std::get<1>(done);
    auto& coverage = world.run().coverage;
    if (report.rolled_back != 0) coverage.hit("swept before it was decided");
    if (report.finished != 0) coverage.hit("swept after it was decided");
}

/// Each item as it was committed at some moment since the walk began; one that no page shows, was not there then.
asio::awaitable<void> user::read_pages() {
    auto& world = process_.world();
    auto& item_history = world.item_history();
    std::vector<std::uint64_t> since;
    for (std::size_t i = 0; i < item_history.items(); ++i) since.push_back(item_history.checked().now(i));
    scan_request request{.table_name = table};
    request.limit = static_cast<std::int32_t>(world.choices().between("caller: page", 1, item_history.items()));
    request.consistent_read = true;
    committed_pages<scan_request> pages{process_.machine().database(), std::move(request)};
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
    for (std::size_t i = 0; i < item_history.items(); ++i) {
        const auto there = found.find(item_history::name_of(i));
        if (there == found.end() && !pages.at_end()) continue;
        world.run().coverage.hit("page shown");
        auto value = there == found.end() ? item_state{} : there->second;
        item_history.tell(
            process_.name(),
            shown{.what = {.item = i, .value = std::move(value)}, .since = since[i], .level = isolation::committed});
    }
}

/// Decides nothing, whatever it meets; and leaves no mark that was there.
asio::awaitable<void> user::free_one() {
    auto& world = process_.world();
    auto& item_history = world.item_history();
    const auto item = world.choices().choose("caller: item", item_history.items());
    const auto before = item_history.mark_on(item);
    next_operation();
    const key_values key{item_history::name_of(item), "-"};
    auto done = co_await all_.free(accounts_, key, cancellable());
    next_operation();
    const error_code code = std::get<0>(done);
    const auto after = item_history.mark_on(item);
    if (!code && std::get<1>(done)) world.run().coverage.hit("freed");
    if (code == errc::locked) world.run().coverage.hit("not freed before it was decided");
    if (!code && before && after == before) world.fail("B5", "an item was freed, and its mark is there still");
    if (before && item_history.was_rolled_back_by(before->owner, ""))
        world.fail("B2", "an item was freed of what was not decided");
}

}  // namespace dynalease::simulation::transfers
