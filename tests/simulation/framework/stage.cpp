// The steps of a small world, and what is counted in all of them.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/stage.hpp"

namespace dynalease::simulation {

void stage::fail(std::string what) {
    if (broken_.empty()) broken_ = std::move(what);
}

void stage::let_requests_pass() {
    for (auto* each : nodes()) {
        if (!each->crashed()) each->network().set_plan({});
    }
}

bool stage::step() {
    const bool more = world.step();
    look();
    if (called_ > expected_) fail("R1: a handler was called twice");
    return more;
}

void stage::run_for(std::chrono::nanoseconds time) {
    bool over = false;
    world.scheduler().add_timer(world.now() + time, [&over] { over = true; });
    while (!over && step()) {
    }
}

void stage::check_handlers() {
    if (crashed_ ? called_ > expected_ : !all_called()) fail("R1: a handler was not called exactly once");
}

void stage::check_still(std::chrono::nanoseconds longest) {
    run_for(longest);
    if (world.step()) fail("R1: something goes on after everything was closed");
}

}  // namespace dynalease::simulation
