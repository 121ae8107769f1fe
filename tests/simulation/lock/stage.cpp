// What must hold while an operation is disturbed, and after.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/lock/stage.hpp"

namespace dynalease::simulation::locks {

// ---- settings ------------------------------------------------------------------------------------------------

void stage::hold(actor& who) {
    who.lock().acquire(acquire_options{}, handler([&who](error_code, lock_guard got) { who.guard = std::move(got); }));
    run_for(200ms);
    if (!who.guard.held()) fail("the setting does not come about");
}

void stage::warm_up(actor& who) {
    hold(who);
    who.guard.release(handler(ignore));
    run_for(200ms);
    who.guard = {};
}

// ---- disturbances ----------------------------------------------------------------------------------------------

void stage::destroy_handles() {
    a.guard = {};
    second = {};
    a.session.reset();
}

// ---- what must hold --------------------------------------------------------------------------------------------

void stage::look() {
    int valid = 0;
    if (!crashed()) valid += (a.guard.held() ? 1 : 0) + (second.held() ? 1 : 0);
    if (!b.machine.crashed()) valid += b.guard.held() ? 1 : 0;
    valid += c.guard.held() ? 1 : 0;
    if (valid > 1) fail("P1: two valid guards");
}

void stage::check_row(const char* when) {
    const auto row = world.row(coordination, "lock#x");
    if (!row) return;
    const auto* holder = find_string(*row, "holder");
    const auto* line = find(*row, "line");
    for (const auto* who : {&a, &b, &c}) {
        if (!who->live()) continue;
        if (holder && *holder == who->session->id()) fail(std::string("P7: held by nobody's will ") + when);
        const auto* entries = line ? line->get_if<attribute_list>() : nullptr;
        for (std::size_t i = 0; entries && i < entries->size(); ++i) {
            if ((*entries)[i] == attribute_value(who->session->id()))
                fail(std::string("P7: in line by nobody's will ") + when);
        }
    }
}

void stage::take_by_a_third() {
    const auto row = world.row(coordination, "lock#x");
    const auto highest = row ? find_integer(*row, "floor").value_or(0) : 0;
    acquire_options patience{.wait = 20s};
    c.lock().acquire(patience, handler([this](error_code done, lock_guard got) {
                         told_ = done;
                         c.guard = std::move(got);
                     }));
    for (int i = 0; i < 40 && !c.guard; ++i) run_for(500ms);
    if (!c.guard) fail("P6: another cannot take the lock: " + told_.message());
    if (c.guard && c.guard.fencing_token() <= highest) fail("P2: the token did not rise");
    if (c.guard) c.guard.release(handler(ignore));
    run_for(500ms);
    c.guard = {};
}

void stage::conclude() {
    if (!crashed()) {
        a.guard = {};
        second = {};
    }
    b.guard = {};
    run_for(8s);
    // Whoever still waited has had its turn by now.
    b.guard = {};
    run_for(1s);
    if (copies_expected() && !a.machine.crashed()) {
        const auto row = world.row(coordination, "lock#x");
        if (row && find(*row, "holder")) run_for(13min);
    }
    check_row("after all let go");
    check_counters(a);
    check_counters(b);
    take_by_a_third();
    check_row("at the end");
    close_all();
}

}  // namespace dynalease::simulation::locks
