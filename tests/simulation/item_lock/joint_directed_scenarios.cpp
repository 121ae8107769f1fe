// Small worlds that each lead straight to one rule of several items locked, or written, at once.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/primitive.hpp"
#include "simulation/item_lock/directed_stage.hpp"

#include <dynalease/item_lock.hpp>

#include <array>

namespace dynalease::simulation::item_locks {

namespace {

using enum testing::fault::kind;

void commit(directed_stage& on, directed_stage::actor& who) {
    std::vector<item_commit> parts;
    for (auto& each : std::exchange(who.several, {})) {
        const bool writes = each.exclusive();
        parts.push_back({std::move(each), writes ? directed_stage::one_more() : update_expression()});
    }
    commit_all(std::move(parts), on.cancelled_handler([&who](error_code code) { who.told = code; }));
}

void give_back_all(directed_stage& on, directed_stage::actor& who) {
    who.several.clear();
    on.run_for(300ms);
}

/// A joint claim is given up while its transaction is under way, and that comes late.
void late_take_of_all(directed_stage& on) {
    on.warm_up(on.a);
    on.first_transaction(on.a, {.what = lose_answer, .before = 2500ms});
    on.want_all(on.a, {0, 1});
    on.run_for(100ms);
    on.cancel.emit(boost::asio::cancellation_type::terminal);
    on.run_for(20s);
    on.check_free("after a joint claim was given up");
}

/// Of two items one is another's, for long.
void waits_for_one_of_two(directed_stage& on) {
    on.warm_up(on.a);
    on.hold(on.b, 1);
    on.want_all(on.a, {0, 1});
    on.run_for(1500ms);
    if (on.stands("_lockW", 0)) on.fail("D1: whoever waits for all of them holds one");
}

/// Two want the same items one by one, and name them in different orders.
void two_orders(directed_stage& on) {
    const auto keep_for_a_while = [&on](directed_stage::actor& who, std::array<std::size_t, 2> order) {
        std::vector<item_demand> wanted;
        for (const auto item : order) wanted.push_back({who.lock(item)});
        acquire_all_options how{.one_by_one = true};
        acquire_all(std::move(wanted), how, on.handler([&on, &who](error_code, std::vector<item_guard> got) {
            who.several = std::move(got);
            on.later(300ms, [&who] { who.several.clear(); });
        }));
    };
    on.warm_up(on.a);
    on.warm_up(on.b);
    keep_for_a_while(on.a, {0, 1});
    keep_for_a_while(on.b, {1, 0});
    on.run_for(60s);
    if (!on.all_called()) on.fail("D2: two wait for each other");
}

/// The last of three items is not to be had in time.
void last_of_three_in_vain(directed_stage& on) {
    on.warm_up(on.a);
    on.hold(on.b, 2);
    acquire_all_options how{.wait = 2s, .one_by_one = true};
    on.want_all(on.a, {0, 1, 2}, how);
    on.run_for(10s);
    if (on.stands("_lockW", 0) || on.stands("_lockW", 1)) on.fail("D3: some of them stay locked after a failure");
}

/// The same items twice, one after the other.
void twice_the_same(directed_stage& on) {
    on.hold_all(on.a);
    give_back_all(on, on.a);
    on.hold_all(on.a);
}

/// The answer to a commit is lost, and by the next copy of it others have written more than an item remembers.
void commit_without_an_answer(directed_stage& on) {
    on.hold_all(on.a);
    on.first_transaction(on.a, {.what = lose_answer, .before = 2ms});
    commit(on, on.a);
    on.run_for(20ms);
    for (std::size_t i = 0; i < 2; ++i) {
        on.hold(on.b, i);
        for (int writes = 0; writes < 3; ++writes) {
            on.b.guard.update(directed_stage::one_more(), {}, on.handler(ignore));
            on.run_for(50ms);
        }
        on.give_back(on.b);
    }
    on.run_for(12s);
    if (on.a.told) on.fail("O3: a commit is not known to be done that the service knows: " + on.a.told.message());
}

/// A commit that was given up comes when the same process has the items again.
void late_commit(directed_stage& on) {
    on.hold_all(on.a);
    on.first_transaction(on.a, {.what = lose_answer, .before = 2500ms});
    commit(on, on.a);
    on.run_for(50ms);
    on.cancel.emit(boost::asio::cancellation_type::terminal);
    on.run_for(300ms);
    on.hold_all(on.a);
    on.run_for(3s);
    for (std::size_t i = 0; i < 2; ++i) {
        if (on.sum(i) != 0) on.fail("P3: a commit was applied under another grant than its own");
    }
}

/// A commit writes one item for what it read in another, which meanwhile is no longer locked.
void commit_after_a_lost_read(directed_stage& on) {
    std::vector<item_demand> wanted;
    wanted.push_back({on.a.lock(0)});
    wanted.push_back({on.a.lock(1), true});
    acquire_all(std::move(wanted), acquire_all_options{},
                on.handler([&on](error_code, std::vector<item_guard> got) { on.a.several = std::move(got); }));
    on.run_for(400ms);
    update_item_request wipe{.table_name = versions::table, .key = item_history::key_of(1)};
    wipe.update_expression = "REMOVE #r";
    wipe.names = {{"#r", "_lockR"}};
    on.world.call(std::move(wipe)).value();
    commit(on, on.a);
    on.run_for(2s);
    if (on.sum() != 0) on.fail("P3: a commit was applied though one of its readers' grants was over");
}

const contribution joint_directed{{
    .name = "item_lock",
    .scenarios = {{"late-take-of-all", 0, play_directed<late_take_of_all>},
                  {"waits-for-one-of-two", 0, play_directed<waits_for_one_of_two>},
                  {"two-orders", 0, play_directed<two_orders>},
                  {"last-of-three-in-vain", 0, play_directed<last_of_three_in_vain>},
                  {"twice-the-same", 0, play_directed<twice_the_same>},
                  {"commit-without-an-answer", 0, play_directed<commit_without_an_answer>},
                  {"late-commit", 0, play_directed<late_commit>},
                  {"commit-after-a-lost-read", 0, play_directed<commit_after_a_lost_read>}},
}};

}  // namespace

}  // namespace dynalease::simulation::item_locks
