// What users do with several items at once.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/item_lock/changes.hpp"
#include "simulation/item_lock/process.hpp"
#include "simulation/item_lock/user.hpp"
#include "simulation/item_lock/world.hpp"

#include <dynalease/item_lock.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

namespace dynalease::simulation::item_locks {

namespace asio = boost::asio;
using versions::intent;

/// All items, or all but one, from any of them on or backwards.
std::vector<std::size_t> user::some_items() {
    auto& world = process_.world();
    auto& choices = world.choices();
    const auto first = choices.choose("user: first of several", world.items());
    const auto left_out = world.items() > 2 ? choices.choose("user: all but one", 2) : 0;
    const bool backwards = choices.choose("user: backwards", 2) == 1;
    std::vector<std::size_t> some;
    for (std::size_t i = 0; i < world.items() - left_out; ++i) {
        some.push_back((first + (backwards ? world.items() - i : i)) % world.items());
    }
    return some;
}

asio::awaitable<void> user::lock_several() {
    auto& world = process_.world();
    auto& choices = world.choices();
    const auto items = some_items();
    std::vector<item_demand> wanted;
    for (const auto each : items) {
        wanted.push_back({lock_of(each), choices.choose("user: reads one of several", 4) == 1});
    }
    acquire_all_options how{.wait = patience(), .one_by_one = choices.choose("user: one by one", 3) == 1};
    const auto demanded = begin_demand(items, how.wait == std::chrono::nanoseconds::zero());
    perhaps_cancel();
    auto token = cancellable();
    auto done = co_await acquire_all(std::move(wanted), how, std::move(token));
    next_operation();
    waits_ = false;
    note_failure(std::get<0>(done));
    auto got = std::get<1>(std::move(done));
    if (std::get<0>(done) && !got.empty()) world.fail("A1", "a refusal brought guards with it");
    if (got.empty()) {
        check_told(demanded, std::get<0>(done));
        co_return;
    }
    world.run().coverage.hit("got several");
    ++served_;
    for (std::size_t i = 0; i < got.size(); ++i) {
        if (got[i].name() != lock_of(items[i]).name()) world.fail("A1", "the guards are not in the demands' order");
        take(items[i], std::move(got[i]));
    }
    const auto longest = world.calm() ? std::chrono::milliseconds(100) : world.made_of().longest_hold;
    for (auto& each : hands_) {
        co_await sleep_up_to("user: hold", longest);
        const bool writes = each.guard.exclusive() && choices.choose("user: writes one of several", 3) == 1;
        if (writes) co_await write(each, false);
    }
    const auto way = choices.choose("user: end of several", 4);
    if (way == 0) {
        for (auto& each : hands_) co_await end_hold(each);
    }
    if (way > 1) co_await commit();
    // Whatever is still in hand is dropped.
    let_go();
    hands_.clear();
}

/// The same number in all of them, or in none.
asio::awaitable<void> user::commit() {
    const auto number = process_.world().item_history().next_number();
    std::vector<item_commit> parts;
    std::vector<std::pair<std::size_t, claimant>> grants;
    std::size_t shown = 0;
    bool writes = false;
    for (auto& each : hands_) {
        const auto granted = process_.world().grant_of(each.session, each.item, each.guard.fencing_token());
        // Others of this process may go on reading.
        if (granted && each.guard.exclusive()) grants.emplace_back(each.item, *granted);
        item_commit part{.guard = std::move(each.guard), .change = {}, .condition = {}};
        if (part.guard.exclusive()) {
            part.erase = removes();
            if (part.erase) {
                part.condition = not_yet(number);
            } else {
                part.change = appended(number);
            }
            begin_write(each, number, part.erase ? intent::guarded_removal : intent::guarded);
            shown = each.item;
            writes = true;
        } else {
            process_.world().tell(process_.name(),
                                  guarded_begun{.handle = each.handle, .item = each.item, .number = number});
        }
        parts.push_back(std::move(part));
    }
    let_go();
    perhaps_cancel();
    auto token = cancellable();
    const auto done = co_await commit_all(std::move(parts), std::move(token));
    next_operation();
    const auto code = std::get<0>(done);
    if (code == errc::in_doubt) process_.world().run().coverage.hit("commit in doubt");
    const bool stands = std::ranges::any_of(
        grants, [&](const auto& each) { return process_.world().stands_in(each.first, each.second); });
    if (!code && stands && one_life())
        process_.world().fail("T1", "a commit was told as done, and an item is still locked");
    if (writes) learn(number, shown, code, nullptr);
}

}  // namespace dynalease::simulation::item_locks
