// Every public operation on items that are locked by the wall clock, in the setting that shows it, disturbed at every
// point.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/fault_points.hpp"
#include "simulation/wall_clock/stage.hpp"

#include <utility>

namespace dynalease::simulation::wall_clocks {

using namespace std::chrono_literals;

namespace {

void nobody_has_it(stage&) {}
void a_has_it(stage& on) {
    on.hold(on.a);
}
void b_has_it(stage& on) {
    on.hold(on.b);
}
void b_had_it_and_died(stage& on) {
    on.hold_and_die();
}
void a_stranger_has_it(stage& on) {
    on.hold_by_recipe();
}
void a_has_it_and_b_waits(stage& on) {
    on.hold(on.a);
    on.b.lock->acquire(item_acquire_options{}, on.handler(stage::keep(on.b)));
    on.run_for(300ms);
}

void acquire(stage& on) {
    on.a.lock->acquire(item_acquire_options{}, on.cancelled_handler(stage::keep(on.a)));
}
void acquire_when_b_lets_go(stage& on) {
    acquire(on);
    on.later(700ms, [&on] {
        if (!on.b.guards.empty()) on.b.guards.back().release(on.handler(ignore));
    });
}
void acquire_in_vain(stage& on) {
    item_acquire_options patience{.wait = 700ms};
    on.a.lock->acquire(patience, on.cancelled_handler(stage::keep(on.a)));
}
void try_to_acquire(stage& on) {
    on.a.lock->try_acquire(on.cancelled_handler(stage::keep(on.a)));
}
void update(stage& on) {
    on.a.guards.back().update(stage::one_more(), {}, on.cancelled_handler(on.count()));
}
/// What is begun while an answer is out must not be lost with it.
void update_twice(stage& on) {
    on.a.guards.back().update(stage::one_more(), {}, on.cancelled_handler([&on, told = on.count()](auto... done) {
        told(std::move(done)...);
        if (on.a.guards.empty() || !on.a.guards.back().held()) return;
        on.a.guards.back().update(stage::one_more(), {}, on.handler(on.count()));
    }));
}
void update_in_vain(stage& on) {
    on.a.guards.back().update(stage::one_more(), attr("sum") == 99, on.cancelled_handler(on.count()));
}
/// Given back without a look at what became of the write.
void update_and_drop(stage& on) {
    update(on);
    on.later(1ms, [&on] { on.a.guards.clear(); });
}
void release(stage& on) {
    on.a.guards.back().release(on.cancelled_handler(ignore));
}
void drop(stage& on) {
    on.a.guards.clear();
}

constexpr operation_on<stage> operations[] = {
    {"acquire", nobody_has_it, acquire},
    {"acquire when it is given back", b_has_it, acquire_when_b_lets_go},
    {"acquire from the dead", b_had_it_and_died, acquire},
    {"acquire from a stranger", a_stranger_has_it, acquire},
    {"acquire in vain", b_has_it, acquire_in_vain},
    {"try_acquire", nobody_has_it, try_to_acquire},
    {"try_acquire in vain", b_has_it, try_to_acquire},
    {"update", a_has_it, update},
    {"update twice", a_has_it, update_twice},
    {"update in vain", a_has_it, update_in_vain},
    {"update, and drop the guard", a_has_it, update_and_drop, 100ms},
    {"release", a_has_it, release},
    {"release while another waits", a_has_it_and_b_waits, release, 500ms},
    {"drop the guard", a_has_it, drop, 100ms},
};

const contribution wall_clock_points{{.name = "wall_clock", .fault_points = fault_points_of<operations>}};

}  // namespace

}  // namespace dynalease::simulation::wall_clocks
