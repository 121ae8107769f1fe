// The kinds of worlds in which locks by the wall clock are tried, and what must be seen in them.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/primitive.hpp"
#include "simulation/wall_clock/scenario_config.hpp"
#include "simulation/wall_clock/world.hpp"

namespace dynalease::simulation::wall_clocks {

namespace {

using enum nemesis_fault;

scenario_config swarm() {
    scenario_config made;
    made.nemesis.faults = everything_promised;
    std::erase(made.nemesis.faults, crash_same_owner);  // there are no owners
    return made;
}

/// One item, many who want it, and locks that are over before they are given back.
scenario_config crowd() {
    scenario_config made = swarm();
    made.fewest_nodes = 3;
    made.most_items = 1;
    made.timeouts = {2s, 3s};
    made.longest_hold = 300ms;
    made.longest_rest = 400ms;
    made.network.always = {request_fault_kind::answer_lost};
    made.nemesis.faults = {pause, partition, one_way_partition, loop_blocked, wall_step, crash_new_identity};
    made.nemesis.longest = 8s;
    made.longest = 25s;
    return made;
}

/// Beside as many who do without the library, and hold an item for as long as they may.
scenario_config beside_strangers() {
    scenario_config made = crowd();
    made.strangers = 2;
    made.outstays = 2;
    made.nemesis.presence = 0.2;
    return made;
}

/// ... and who free the item in the end, whosoever it is by then.
scenario_config beside_careless_strangers() {
    scenario_config made = beside_strangers();
    made.careless = true;
    return made;
}

/// Callers that change their minds, under all faults of requests at once.
scenario_config changes_of_mind() {
    scenario_config made = swarm();
    made.fewest_nodes = made.most_nodes = 3;
    made.most_items = 1;
    made.cancels = 2;
    made.network.presence = 0.9;
    made.network.worst_chance = 60'000;
    made.nemesis.presence = 0.15;
    return made;
}

/// Locks that last longer than the world's faults: what is left locked then is found.
scenario_config long_locks() {
    scenario_config made = changes_of_mind();
    made.timeouts = {60s};
    made.outstays = 0;
    made.strangers = 0;
    made.longest = 20s;
    return made;
}

const contribution wall_clock_worlds{{
    .name = "wall_clock",
    .scenarios = {{"swarm", 4, play<clock_world, swarm>},
                  {"crowd", 3, play<clock_world, crowd>},
                  {"beside-strangers", 3, play<clock_world, beside_strangers>},
                  {"beside-careless-strangers", 2, play<clock_world, beside_careless_strangers>},
                  {"changes-of-mind", 3, play<clock_world, changes_of_mind>},
                  {"long-locks", 2, play<clock_world, long_locks>}},
    .coverage_points = {"locked", "locked by a stranger", "freed", "guarded write done", "guarded write in doubt",
                        "guarded write lost the item", "guarded write in vain", "given up in doubt",
                        "cancelled while waiting", "waited in vain", "try refused", "item missing", "release in doubt",
                        "release lost the race", "late write applied", "late write refused"},
}};

}  // namespace

}  // namespace dynalease::simulation::wall_clocks
