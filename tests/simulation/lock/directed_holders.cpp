// Small worlds of holders that die, live or begin anew.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/directed.hpp"
#include "simulation/lock/stage.hpp"

namespace dynalease::simulation::locks {

namespace {

/// Who asks once, and never before, is told of the dead.
void one_call_at_a_dead_holder(stage& on) {
    on.hold(on.b);
    on.b.machine.crash();
    on.c.lock().acquire(acquire_options{.wait = until_known}, on.handler(keep(on.c.guard)));
    on.run_for(5s);
    if (!on.c.guard) on.fail("fate: who asks once never finds out that a holder is dead");
    on.c.guard = {};
    on.run_for(500ms);
}

/// What a job has just done is not done again.
void one_call_at_a_short_hold(stage& on) {
    on.hold(on.b);
    on.c.lock().acquire(acquire_options{.wait = until_known}, on.handler(keep(on.c.guard)));
    on.run_for(200ms);
    on.b.guard.release(on.handler(ignore));
    on.run_for(5s);
    if (on.c.guard) on.fail("fate: what a living holder gave back was taken");
    on.c.guard = {};
    on.run_for(500ms);
}

void a_second_life(stage& on) {
    on.hold(on.a);
    on.a.machine.network().set_plan(
        [](const any_request&, const call_options&) { return testing::fault{testing::fault::kind::lose_request}; });
    on.run_for(6s);
    on.a.machine.network().set_plan([](const any_request&, const call_options&) { return on_its_way; });
    on.a.lock().acquire(acquire_options{.wait = 5s}, on.handler(keep(on.second)));
    on.run_for(5s);
    if (!on.second.held()) on.fail("life: after a loss the handles of a session do not go on");
    if (on.a.guard.held()) on.fail("life: a guard of a former life is valid again");
    on.a.guard = {};
    on.second = {};
    on.run_for(500ms);
}

const contribution holder_directed{{
    .name = "lock",
    .scenarios = {{"a-second-life", 0, play_directed<a_second_life>},
                  {"one-call-at-a-dead-holder", 0, play_directed<one_call_at_a_dead_holder>},
                  {"one-call-at-a-short-hold", 0, play_directed<one_call_at_a_short_hold>}},
}};

}  // namespace

}  // namespace dynalease::simulation::locks
