// What callers are told who get nothing, held against what the items and the network have shown meanwhile.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/item_lock/process.hpp"
#include "simulation/item_lock/user.hpp"
#include "simulation/item_lock/world.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::simulation::item_locks {

bool user::one_life() const {
    const auto& made_of = process_.world().made_of();
    return !made_of.reborn && made_of.erasures == 0;
}

void user::begin_wait(std::vector<std::size_t> items) {
    process_.note_demand(items);
    demanded_ = std::move(items);
    waits_ = true;
}

user::demand user::begin_demand(std::vector<std::size_t> items, bool once) {
    begin_wait(items);
    return {.items = items,
            .once = once,
            .alone = process_.only_one_for(items, *this),
            .unlike = process_.only_one_for_all(items, *this),
            .number = process_.demands_for(items),
            .number_alike = process_.demands_for_all(items),
            .began = process_.world().now()};
}

void user::check_told(const demand& of, error_code code) {
    auto& world = process_.world();
    process_.note_life();
    const auto& takes = process_.takes();
    const auto any = [&](const auto& is) { return std::ranges::any_of(of.items, is); };
    const auto all = [&](const auto& is) { return std::ranges::all_of(of.items, is); };

    // Whose a write is: all who want one item in a process share its claim, and it goes on for those who still wait.
    const bool last_alone = process_.only_one_for(of.items, *this);
    const bool undisturbed = of.alone && last_alone && process_.demands_for(of.items) == of.number;
    const bool owns_single = of.items.size() == 1 ? last_alone : undisturbed;
    // A claim on several is its caller's own. Those of two callers who want just the same cannot be told apart.
    const bool owns_joint = of.items.size() > 1 && of.unlike && process_.demands_for_all(of.items) == of.number_alike;

    const bool in_vain = code == errc::wait_timeout || code == condition::unreachable || code == condition::throttled ||
                         code == condition::cancelled || (of.once && !code);
    const bool single_open = owns_single && any([&](auto item) { return takes.any_since({item}, of.began); });
    const bool joint_open = owns_joint && takes.any_since(of.items, of.began);
    // What an outage has ended with its session is told as that outage; what was open dies with the session.
    const bool died = process_.session()->state() == session_state::lost;
    if (in_vain && !died && (single_open || joint_open)) {
        world.fail("T3", "a wait was told as given up while a write of it had no answer");
    }
    const bool refused = of.once && (!code || code == errc::wait_timeout);
    // Others may have asked for it, and left: a try whose writes came after theirs, twice, is told so.
    const auto nobodys = [&](auto item) {
        return world.free_since(item, of.began) && world.same_floor_since(item, of.began);
    };
    if (refused && undisturbed && all(nobodys)) {
        world.fail("T4", "a try was refused though nobody had any of it, or asked for it");
    }
    // Whoever else of this process asks for it: what the item was before the call is no answer.
    const bool there = all([&](auto item) { return world.there_since(item, of.began); });
    if (code == errc::missing && there) world.fail("T5", "an item was told as missing that was there");
}

/// Who asked whether those who have an item live, and was told so or has it now.
void user::check_asked(const demand& of, error_code code) {
    auto& world = process_.world();
    const bool disturbed = process_.undisturbed_since() >= of.began || process_.machine().paused();
    // Of another in the way, who came after the first, the try tells at once; trouble with a request is told, too.
    const auto enough = 2 * world.lease() + std::chrono::seconds(20);
    if (!disturbed && world.now() - of.began > enough) world.fail("T6", "who asked for a sign of life got no answer");
    if (code && code != errc::wait_timeout) return;
    world.run().coverage.hit(code ? "others known to live" : "others known to be dead, or none there");
    // A beat may be seen as late as an answer comes.
    const auto longest = world.lease() + std::chrono::seconds(15);
    if (code && of.alone && world.silent_since(of.items.front(), world.now() - longest, of.began)) {
        world.fail("T7", "holders were told to live, long after their last sign of life");
    }
}

}  // namespace dynalease::simulation::item_locks
