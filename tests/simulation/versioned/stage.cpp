// What must hold while an operation is disturbed, and after.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/versioned/stage.hpp"

#include "simulation/framework/machine.hpp"

#include <utility>

namespace dynalease::simulation::versions {

using namespace std::chrono_literals;

stage::actor::actor(stage& on, const char* name, std::uint64_t seed, std::int64_t drift_ppm, removal how)
    : machine(on.world, machine_on_stage(seed, drift_ppm)),
      recorder(on.item_history, name, [this] { return number; }),
      accounts(std::in_place, machine.database(),
               versioned_options{.table = table, .key = "pk", .sort_key = "sk", .removal = how}) {
    machine.network().set_observer(&recorder);
}

stage::stage(removal how) : item_history(world, 2), a(*this, "a", 1, 900, how), b(*this, "b", 2, -900, how) {}

std::int64_t stage::intend(actor& who, intent what, std::size_t item, bool from_base) {
    if (who.number == 0) who.number = item_history.next_number();
    std::optional<serial> base;
    if (from_base && who.base) base = item_history.serial_of(item, who.base->attributes);
    item_history.tell("", intended{.number = who.number, .item = item, .what = what, .base = base});
    return who.number;
}

void stage::learn(std::int64_t number, std::size_t item, answer what) {
    item_history.tell("", told{.number = number, .what = what, .item = item, .unanswered = true});
}

void stage::learn(actor& who, std::int64_t number, std::size_t item, error_code code, write_result<account> result) {
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
    if (result.saved) shown = item_history.serial_of(item, result.saved->attributes);
    if (result.saved && !shown) fail("O4: a caller was shown a state that never was");
    const auto met = who.recorder.requests_of(number);
    item_history.tell("", told{.number = number,
                               .what = what,
                               .item = item,
                               .shown = shown,
                               .unanswered = met.unanswered,
                               .last_refusal = met.last_refusal});
    if (code == errc::in_doubt && !result.pending) fail("O3: doubt without a pending write");
    who.pending = std::move(result.pending);
    if (result.saved) who.base = std::move(result.saved);
}

void stage::make(actor& who, std::size_t item) {
    who.base.reset();
    intend(who, intent::create, item);
    const account fresh{.pk = item_history::name_of(item), .sk = "-", .entries = {who.number}};
    who.accounts->create(fresh, handler(keep(who, item)));
    run_for(100ms);
    if (who.told) fail("the setting does not come about");
}

void stage::load(actor& who, std::size_t item) {
    who.accounts->load(key(item), {}, handler([&who](error_code, std::optional<loaded<account>> found) {
                           who.base = std::move(found);
                       }));
    run_for(100ms);
}

void stage::write(actor& who, std::size_t item) {
    load(who, item);
    if (!who.base) return fail("the setting does not come about");
    who.base->value.entries.push_back(intend(who, intent::save, item));
    who.accounts->save(*who.base, handler(keep(who, item)));
    run_for(100ms);
}

void stage::destroy_handles() {
    a.base.reset();
    a.pending = {};
    a.accounts.reset();
}

void stage::look() {
    if (item_history.checked().broken()) fail(*item_history.checked().broken());
}

void stage::conclude() {
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
    item_history.conclude();
    look();
}

}  // namespace dynalease::simulation::versions
