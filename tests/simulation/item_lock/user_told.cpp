// What callers are told who get nothing, held against what the items and the network have shown meanwhile.
#include "simulation/item_lock/site.hpp"
#include "simulation/item_lock/user.hpp"
#include "simulation/item_lock/world.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::simulation::item_locks {

bool user::one_life() const {
    const auto& made_of = site_.world().made_of();
    return !made_of.reborn && made_of.erasures == 0;
}

user::demand user::begin_demand(std::vector<std::size_t> items, bool once) {
    waits_ = true;
    return {.items = std::move(items),
            .once = once,
            .alone = site_.only_waiter(*this),
            .began = site_.world().now()};
}

void user::judge_told(const demand& of, error_code code) {
    auto& world = site_.world();
    // What others of this process want, or hold, would have to be told apart.
    const bool alone = site_.only_waiter(*this);
    const auto any = [&](const auto& is) { return std::ranges::any_of(of.items, is); };
    const auto all = [&](const auto& is) { return std::ranges::all_of(of.items, is); };

    const bool given_up = !of.once && (code == errc::wait_timeout || code == condition::cancelled);
    if (given_up && alone && any([&](auto item) { return site_.may_yet_lock(item, of.began); })) {
        world.fail("T3", "a wait was told as given up while a write of it had no answer");
    }
    const bool refused = of.once && (!code || code == errc::wait_timeout);
    if (refused && alone && of.alone && all([&](auto item) { return world.free_since(item, of.began); })) {
        world.fail("T4", "a try was refused though nobody had any of it");
    }
    if (code == errc::missing && all([&](auto item) { return world.there_since(item, of.began); })) {
        world.fail("T5", "an item was told as missing that was there");
    }
}

}  // namespace dynalease::simulation::item_locks
