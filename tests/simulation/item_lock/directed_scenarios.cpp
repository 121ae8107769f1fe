// Small worlds that each lead straight to one rule of item locks, for mistakes that chance alone finds late.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/primitive.hpp"
#include "simulation/framework/protected_data.hpp"
#include "simulation/item_lock/directed_stage.hpp"

#include <dynalease/versioned.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace dynalease::simulation::item_locks {

namespace {

using enum testing::fault::kind;

/// A claim is given up while its write is under way, and the write comes late.
void late_take(directed_stage& on) {
    on.warm_up(on.a);
    on.first_take(on.a, {.what = lose_answer, .before = 2500ms});
    on.try_once(on.a);
    on.run_for(100ms);
    on.cancel.emit(boost::asio::cancellation_type::terminal);
    on.run_for(20s);
    on.check_free("after a claim was given up");
}

/// The same of one that has seen another hold the item, and that comes when it is free.
void late_take_under_a_holder(directed_stage& on) {
    on.warm_up(on.a);
    on.hold(on.b);
    on.first_take(on.a, {.what = lose_answer, .before = 2500ms});
    on.want(on.a);
    on.run_for(1500ms);
    on.cancel.emit(boost::asio::cancellation_type::terminal);
    on.run_for(300ms);
    on.give_back(on.b);
    on.run_for(20s);
    on.check_free("after a claim was given up");
}

/// The same of an intent, which comes while others still read.
void late_intent(directed_stage& on) {
    on.warm_up(on.a);
    on.read(on.b);
    on.first(on.a, directed_stage::updates_that_begin("SET #I = :mine"), {.what = lose_answer, .before = 2500ms});
    on.want(on.a);
    on.run_for(1s);
    on.cancel.emit(boost::asio::cancellation_type::terminal);
    on.run_for(3s);
    on.give_back(on.b);
    on.run_for(20s);
    on.check_free("after a claim was given up");
}

/// A try that is refused, and that the network copies.
void copy_of_a_try(directed_stage& on) {
    on.warm_up(on.a);
    on.hold(on.b);
    on.first_take(on.a, {.what = apply_twice, .before = 2ms, .after = 2ms, .copy = 3s});
    on.try_once(on.a);
    on.run_for(1s);
    on.give_back(on.b);
    on.run_for(13min);
    on.check_free("after the audit");
}

void delay_take_overs(directed_stage::actor& of) {
    of.machine.network().set_plan([](const any_request& request, const call_options&) {
        const auto* update = std::get_if<update_item_request>(&request);
        const bool takes_over = update && (update->values.contains(":seen") || update->values.contains(":over"));
        return testing::fault{.before = takes_over ? 900ms : 2ms, .after = 2ms};
    });
}

/// Two take over from the dead: the write of one comes when the other holds.
void two_take_over(directed_stage& on) {
    on.warm_up(on.a);
    on.hold(on.b);
    on.b.machine.crash();
    delay_take_overs(on.a);
    on.want(on.a);
    on.want(on.c);
    on.run_for(20s);
}

/// Who asks once, and never before, is told of the dead.
void one_call_at_a_dead_holder(directed_stage& on) {
    on.hold(on.b);
    on.b.machine.crash();
    on.ask(on.c);
    on.run_for(5s);
    if (!on.c.guard.held()) on.fail("fate: who asks once never finds out that a holder is dead");
}

/// What a job has just done is not done again.
void one_call_at_a_short_hold(directed_stage& on) {
    on.hold(on.b);
    on.ask(on.c);
    on.run_for(200ms);
    on.give_back(on.b);
    on.run_for(5s);
    if (on.c.guard.held()) on.fail("fate: what a living holder gave back was taken");
}

/// A try takes over from a reader that is over; another reader joins before its write comes.
void reader_before_a_take_over(directed_stage& on) {
    on.warm_up(on.a);
    on.read(on.b);
    on.b.machine.crash();
    update_item_request mark{.table_name = "coordination",
                             .key = {{"pk", "session#" + std::string(on.b.session->id())}, {"sk", "-"}}};
    mark.update_expression = "SET #state = :dead";
    mark.names = {{"#state", "state"}};
    mark.values = {{":dead", "dead"}};
    on.world.call(std::move(mark)).value();
    delay_take_overs(on.a);
    on.try_once(on.a);
    on.run_for(100ms);
    on.read(on.c);
    on.run_for(3s);
}

/// Somebody wants an item that is not there.
void take_of_nothing(directed_stage& on) {
    on.warm_up(on.a);
    on.remove_item(0);
    on.want(on.a);
    on.run_for(1s);
    if (on.row()) on.fail("E1: a lock request made an item");
}

/// The item is removed and made again under its holder, and copies of the grant and of a write under it come after.
void reborn_under_a_holder(directed_stage& on) {
    on.a.machine.network().set_plan([](const any_request& request, const call_options&) {
        const auto* update = std::get_if<update_item_request>(&request);
        testing::fault fate{.before = 2ms, .after = 2ms};
        if (!update || !item_history::item_in(update->key)) return fate;
        fate.what = apply_twice;
        fate.copy = update->update_expression.starts_with("SET #W = :w, #F") ? 2s : 3s;
        return fate;
    });
    on.hold(on.a);
    on.a.guard.update(directed_stage::one_more(), {}, on.handler(ignore));
    on.run_for(300ms);
    auto fence = on.a.guard.fence();
    on.remove_item(0);
    on.make_item(0);
    on.run_for(1700ms);
    if (!on.stands("_lockW")) on.fail("the setting does not come about");
    coverage counted;
    boost::asio::co_spawn(on.a.machine.environment().executor,
                          write_fenced(on.a.machine, counted, std::move(fence), 0, 1), boost::asio::detached);
    on.run_for(5s);
    if (on.sum() != 0) on.fail("P3: a guarded write changed the next item of that key");
    if (on.world.row("coordination", "protected#0"))
        on.fail("P3: a write elsewhere passed the fence in the next item of that key");
}

/// A grant whose first copy had no answer has been given back, and the item made anew, when that copy lands.
void late_copy_of_a_grant(directed_stage& on) {
    on.warm_up(on.a);
    on.first_take(on.a, {.what = lose_answer, .before = 6s});
    on.want(on.a);
    on.run_for(3s);
    on.give_back(on.a);
    on.remove_item(0);
    on.make_item(0);
    on.run_for(13min);
    on.check_free("after the audit");
}

/// The same of an intent: when it lands, somebody reads the item.
void late_copy_of_an_intent(directed_stage& on) {
    on.warm_up(on.a);
    on.read(on.b);
    on.first(on.a, directed_stage::updates_that_begin("SET #I = :mine"), {.what = lose_answer, .before = 6s});
    on.want(on.a);
    on.run_for(3s);
    on.cancel.emit(boost::asio::cancellation_type::terminal);
    on.run_for(1s);
    on.remove_item(0);
    on.make_item(0);
    on.b.guard = {};
    on.read(on.b);
    on.run_for(4s);
    on.give_back(on.b);
    on.run_for(13min);
    on.check_free("after the audit");
}

/// Somebody saves an item that another has locked, and takes the lock at once. The network has made a copy of the save
/// that was refused, and that copy lands when the lock goes.
void save_before_its_promotion(directed_stage& on) {
    on.warm_up(on.a);
    on.hold(on.b);
    on.first(on.a, directed_stage::updates_that_begin("SET #ver = :n1"),
             {.what = apply_twice, .before = 2ms, .after = 2ms, .copy = 1s});
    versioned_items table(on.a.machine.database(), {.table = versions::table, .key = "pk", .sort_key = "sk"});
    auto one_more = [](item value) {
        value.insert_or_assign("sum", find_integer(value, "sum").value_or(0) + 1);
        return value;
    };
    update_options how{.promote = promotion{.with = &*on.a.session}};
    table.update(item_history::key_of(0), std::move(one_more), how, on.handler(ignore));
    // The lock is free for one look of whoever waits, not before the copy has landed.
    on.later(995ms, [&on] { on.b.guard = {}; });
    on.run_for(10s);
    if (on.sum() != 1) on.fail("O1: an update was applied twice");
}

// Of no weight: campaigns draw from larger worlds, and the mutants name these.
const contribution item_directed{{
    .name = "item_lock",
    .scenarios = {{"late-take", 0, play_directed<late_take>},
                  {"late-take-under-a-holder", 0, play_directed<late_take_under_a_holder>},
                  {"late-intent", 0, play_directed<late_intent>},
                  {"copy-of-a-try", 0, play_directed<copy_of_a_try>},
                  {"two-take-over", 0, play_directed<two_take_over>},
                  {"one-call-at-a-dead-holder-of-an-item", 0, play_directed<one_call_at_a_dead_holder>},
                  {"one-call-at-a-short-hold-of-an-item", 0, play_directed<one_call_at_a_short_hold>},
                  {"reader-before-a-take-over", 0, play_directed<reader_before_a_take_over>},
                  {"take-of-nothing", 0, play_directed<take_of_nothing>},
                  {"reborn-under-a-holder", 0, play_directed<reborn_under_a_holder>},
                  {"late-copy-of-a-grant", 0, play_directed<late_copy_of_a_grant>},
                  {"late-copy-of-an-intent", 0, play_directed<late_copy_of_an_intent>},
                  {"save-before-its-promotion", 0, play_directed<save_before_its_promotion>}},
}};

}  // namespace

}  // namespace dynalease::simulation::item_locks
