// What must hold while an operation is disturbed, and after.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/versioned/stage.hpp"

#include "simulation/framework/mutant.hpp"

#include <utility>

namespace dynalease::simulation::versions {

using namespace std::chrono_literals;

points_stage::actor::actor(points_stage& on, const char* name, std::uint64_t seed, std::int64_t drift_ppm, removal how)
    : machine(on.world, {.seed = seed,
                         .clock = {.offset = std::chrono::hours(seed), .drift_ppm = drift_ppm},
                         .in_front = active_mutant() ? active_mutant()->wrap : nullptr}),
      witness(on.ledger, name, [this] { return number; }),
      accounts(std::in_place, machine.database(),
               versioned_options{.table = table, .key = "pk", .sort_key = "sk", .removal = how}) {
    machine.network().set_observer(&witness);
}

points_stage::points_stage(removal how) : ledger(world, 2), a(*this, "a", 1, 900, how), b(*this, "b", 2, -900, how) {}

std::int64_t points_stage::intend(actor& who, intent what, std::size_t item, bool from_base) {
    if (who.number == 0) who.number = ledger.next_number();
    std::optional<serial> base;
    if (from_base && who.base) base = ledger.serial_of(item, who.base->attributes);
    ledger.tell("", intended{.number = who.number, .item = item, .what = what, .base = base});
    return who.number;
}

void points_stage::learn(std::int64_t number, std::size_t item, answer what) {
    ledger.tell("", told{.number = number, .what = what, .item = item, .unanswered = true});
}

void points_stage::learn(actor& who, std::int64_t number, std::size_t item, error_code code,
                         write_result<account> result) {
    who.told = code;
    who.number = 0;
    auto what = answer::not_applied;
    if (!code) what = result.superseded ? answer::superseded : answer::applied;
    if (code == errc::conflict) what = answer::conflict;
    if (code == errc::exists) what = answer::exists;
    if (code == errc::missing) what = answer::missing;
    if (code == errc::locked) what = answer::locked;
    if (code == errc::in_doubt) what = answer::doubt;
    std::optional<serial> shown;
    if (result.saved) shown = ledger.serial_of(item, result.saved->attributes);
    if (result.saved && !shown) fail("O4: a caller was shown a state that never was");
    const auto met = who.witness.requests_of(number);
    ledger.tell("", told{.number = number,
                         .what = what,
                         .item = item,
                         .shown = shown,
                         .unanswered = met.unanswered,
                         .last_refusal = met.last_refusal});
    if (code == errc::in_doubt && !result.pending) fail("O3: doubt without a pending write");
    who.pending = std::move(result.pending);
    if (result.saved) who.base = std::move(result.saved);
}

void points_stage::make(actor& who, std::size_t item) {
    who.base.reset();
    intend(who, intent::create, item);
    const account fresh{.pk = ledger::name_of(item), .sk = "-", .entries = {who.number}};
    who.accounts->create(fresh, handler(keep(who, item)));
    run_for(100ms);
    if (who.told) fail("the setting does not come about");
}

void points_stage::load(actor& who, std::size_t item) {
    who.accounts->load(key(item), {}, handler([&who](error_code, std::optional<loaded<account>> found) {
                           who.base = std::move(found);
                       }));
    run_for(100ms);
}

void points_stage::write(actor& who, std::size_t item) {
    load(who, item);
    if (!who.base) return fail("the setting does not come about");
    who.base->value.entries.push_back(intend(who, intent::save, item));
    who.accounts->save(*who.base, handler(keep(who, item)));
    run_for(100ms);
}

void points_stage::destroy_handles() {
    a.base.reset();
    a.pending = {};
    a.accounts.reset();
}

void points_stage::look() {
    if (ledger.judged().broken()) fail(*ledger.judged().broken());
}

void points_stage::conclude() {
    run_for(20s);
    // Whatever became of it, the item can be made, or written, by another.
    load(b);
    if (b.base) {
        write(b);
    } else {
        make(b);
    }
    if (b.told) fail("O3: another cannot write the item: " + b.told.message());
    check_handlers();
    a.accounts.reset();
    b.accounts.reset();
    check_still(15s);
    ledger.conclude();
    look();
}

}  // namespace dynalease::simulation::versions
