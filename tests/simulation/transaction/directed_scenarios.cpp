// Worlds that lead straight to one rule, which chance finds late.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/directed.hpp"
#include "simulation/transaction/stage.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace dynalease::simulation::transfers {

using namespace std::chrono_literals;

namespace {

using fate = testing::fault;

/// One fate after the other; from then on nothing is sent any more.
testing::fault_plan then_silence(std::vector<fate> fates) {
    return [fates = std::move(fates), at = std::size_t{0}](const any_request&, const call_options&) mutable {
        return at < fates.size() ? fates[at++] : fate{.what = fate::kind::hold};
    };
}

void append(stage& on, stage::actor& who, const std::vector<std::size_t>& items,
            run_options how = {.tier = transaction_tier::inline_undo}) {
    std::vector<effect> effects;
    for (const auto each : items) effects.push_back({.item = each});
    const auto number = on.wish(who, std::move(effects), std::move(how));
    const attribute_value own(attribute_list{attribute_value(number)});
    for (const auto each : items) {
        who.tx->update(*who.accounts, stage::key(each), set("entries", list_append(path("entries"), own)));
    }
    on.ready(who);
}

void commit(stage& on, stage::actor& who, std::chrono::nanoseconds time) {
    who.tx->commit(on.handler(on.keep(who)));
    on.run_for(time);
    if (who.told) on.fail("the setting does not come about");
}

/// The network repeats a lock. Its copy lands when another has written the item, and its run is not done.
void late_lock(stage& on) {
    append(on, on.a, {stage::payer});
    const fate twice{.what = fate::kind::apply_twice, .copy = 600ms};
    on.a.machine.network().set_plan(then_silence({{}, twice, {}, {}}));
    commit(on, on.a, 200ms);
    on.crash();
    append(on, on.b, {stage::payer});
    commit(on, on.b, 1s);
    append(on, on.c, {stage::payer});
    commit(on, on.c, 1s);
}

/// A lock has no answer; its run fails, and its id runs again. A sweep passes, and then the lock lands.
void late_lock_of_a_former_attempt(stage& on) {
    auto fates = std::make_shared<std::vector<fate>>(std::vector<fate>{{.before = 20s}, {}});
    on.b.machine.network().set_plan([fates](const any_request&, const call_options&) {
        if (fates->empty()) return fate{};
        const auto next = fates->back();
        fates->pop_back();
        return next;
    });
    const run_options again{.id = "again", .tier = transaction_tier::inline_undo};
    for (const auto& items : {std::vector{stage::payer, stage::absent}, {stage::payee}}) {
        append(on, on.b, items, again);
        on.b.tx->commit(on.handler(on.keep(on.b)));
        on.run_for(3s);
        const bool fails = items.size() == 2;
        if (on.b.told != (fails ? make_error_code(errc::missing) : error_code()))
            on.fail("the setting does not come about");
    }
    on.a.all->sweep({.older_than = 100ms}, on.handler(ignore));
    on.run_for(20s);
}

/// A copy of an insert lands when the service has forgotten its token, another has erased the item, and its run is not
/// done.
void late_insert(stage& on) {
    const auto number =
        on.wish(on.a, {{.item = stage::absent, .what = deed::insert}}, {.tier = transaction_tier::inline_undo});
    const account fresh{.pk = item_history::name_of(stage::absent), .sk = "-", .entries = {number}};
    on.a.tx->insert(*on.a.accounts, fresh);
    on.ready(on.a);
    const fate late{.before = 11min, .again = 20ms};
    on.a.machine.network().set_plan(then_silence({{}, late, {}, {}, {}}));
    commit(on, on.a, 3s);
    on.crash();
    on.wish(on.b, {{.item = stage::absent, .what = deed::erase}}, {.tier = transaction_tier::inline_undo});
    on.b.tx->erase(*on.b.accounts, stage::key(stage::absent));
    on.ready(on.b);
    commit(on, on.b, 1s);
    on.run_for(12min);
}

/// A copy of what stores pages lands when the service has forgotten its token, and the run is over.
void late_page(stage& on) {
    const std::vector items{stage::payer, stage::payee, stage::present};
    append(on, on.a, items);
    for (const auto each : items) {
        on.a.tx->update(*on.a.accounts, stage::key(each), set("ballast", std::string(150'000, 'x')));
    }
    const fate twice{.what = fate::kind::apply_twice, .copy = 11min};
    on.a.machine.network().set_plan(testing::scripted_faults({{}, twice}));
    on.a.tx->commit(on.handler(on.keep(on.a)));
    on.run_for(3s);
    if (on.a.told) on.fail("the setting does not come about");
    on.run_for(12min);
}

const contribution directed_scenarios{
    {.name = "transaction",
     .scenarios = {{"late-lock", 0, play_directed<late_lock>},
                   {"late-lock-of-a-former-attempt", 0, play_directed<late_lock_of_a_former_attempt>},
                   {"late-insert", 0, play_directed<late_insert>},
                   {"late-page", 0, play_directed<late_page>}}}};

}  // namespace

}  // namespace dynalease::simulation::transfers
