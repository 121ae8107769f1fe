// What must hold while an operation on an item that is locked by the wall clock is disturbed, and after.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/wall_clock/stage.hpp"

#include "simulation/framework/machine.hpp"

#include <array>
#include <string>
#include <utility>

namespace dynalease::simulation::wall_clocks {

using namespace std::chrono_literals;

namespace {

constexpr const char* tills = "tills";
constexpr std::int64_t drift = 1000;

item_key till() {
    return {{"pk", "till"}, {"sk", "-"}};
}
wall_clock_options of_all() {
    return {.timeout = 4s, .skew = 200ms, .longest_poll_interval = 400ms};
}

}  // namespace

stage::actor::actor(testing::world& where, std::uint64_t seed, std::int64_t drift_ppm, std::chrono::milliseconds ahead)
    : machine(where, machine_on_stage(seed, drift_ppm)) {
    machine.clock().step_wall(ahead);
    lock.emplace(machine.database(), item_ref{tills, till()}, of_all());
}

stage::stage()
    : a((world.create_table(tills), world), 1, drift, 100ms), b(world, 2, -drift, -100ms), c(world, 3, 0, 0ms) {
    auto fresh = till();
    fresh.emplace("sum", 0);
    world.call(put_item_request{.table_name = tills, .new_item = std::move(fresh)}).value();
    a.machine.network().set_observer(this);
}

// ---- settings ------------------------------------------------------------------------------------------------

void stage::hold(actor& who) {
    who.lock->acquire(item_acquire_options{}, handler(keep(who)));
    run_for(200ms);
    if (who.guards.empty() || !who.guards.back().held()) fail("the setting does not come about");
}

void stage::hold_and_die() {
    hold(b);
    b.machine.crash();
    left_behind_ = moment_in_item();
}

void stage::hold_by_recipe() {
    auto held = row();
    held.insert_or_assign(of_all().attribute, "2026-01-01T00:00:00+00:00");
    world.call(put_item_request{.table_name = tills, .new_item = std::move(held)}).value();
    left_behind_ = moment_in_item();
}

void stage::destroy_handles() {
    a.guards.clear();
    a.lock.reset();
}

// ---- what must hold ------------------------------------------------------------------------------------------

void stage::applied(const testing::logged_request& entry, const any_request&, const result<any_response>& answer) {
    if (answer && entry.completed && !moment_in_item().empty()) late_lock_ = true;
}

void stage::look() {
    int holders = 0;
    for (const auto* who : {&a, &b, &c}) {
        if (who->machine.crashed()) continue;
        for (const auto& each : who->guards) holders += each.held() ? 1 : 0;
    }
    if (holders > 1) fail("W1: two valid guards");
}

item stage::row() {
    return world.row(tills, "till").value();
}

std::string stage::moment_in_item() {
    const auto stored = row();
    const auto* text = find_string(stored, of_all().attribute);
    return text ? *text : std::string();
}

void stage::check_free() {
    const auto stands = moment_in_item();
    if (!stands.empty() && stands != left_behind_) fail("W6: locked by nobody's will");
}

void stage::check_sum() {
    const auto stored = row();
    const auto sum = find_integer(stored, "sum").value_or(0);
    if (sum < done_) fail("W5: a guarded write that was reported is not in the item");
    if (sum > done_ + asked_) fail("W5: a guarded write happened twice, or though it was reported as refused");
}

void stage::lock_by_a_third() {
    // What is left of a crash, or came late, is over by then.
    item_acquire_options patience{.wait = 6s};
    c.lock->acquire(patience, handler(keep(c)));
    for (int i = 0; i < 14 && c.guards.empty(); ++i) run_for(500ms);
    if (c.guards.empty()) return fail("W7: another cannot lock the item");
    c.guards.back().release(handler(ignore));
    run_for(500ms);
    c.guards.clear();
}

void stage::conclude() {
    if (!crashed()) a.guards.clear();
    b.guards.clear();
    // Time for whoever still waits, and for what goes on in the background.
    run_for(2500ms);
    if (!crashed()) a.guards.clear();
    b.guards.clear();
    run_for(1500ms);
    if (!crashed() && !late_lock_) check_free();
    check_sum();
    lock_by_a_third();
    left_behind_.clear();
    check_free();
    check_sum();
    check_handlers();
    for (auto* who : {&a, &b, &c}) who->lock.reset();
    check_still(15s);
}

}  // namespace dynalease::simulation::wall_clocks
