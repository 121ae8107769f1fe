// The kinds of worlds in which item locks are tried, and what must be seen in them.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/primitive.hpp"
#include "simulation/item_lock/scenario_config.hpp"
#include "simulation/item_lock/world.hpp"

namespace dynalease::simulation::item_locks {

namespace {

using enum nemesis_fault;

scenario_config swarm() {
    scenario_config made;
    made.nemesis.faults = everything_promised;
    std::erase(made.nemesis.faults, crash_same_owner);  // its sessions have no owners
    return made;
}

/// One item, many who want it, and sessions that are lost meanwhile.
scenario_config crowd() {
    scenario_config made = swarm();
    made.fewest_nodes = 3;
    made.most_items = 1;
    made.leases = {2s, 4s};
    made.longest_hold = 400ms;
    made.longest_rest = 500ms;
    made.network.always = {request_fault_kind::answer_lost};
    made.nemesis.faults = {pause, partition, one_way_partition, loop_blocked, no_credentials, crash_new_identity};
    made.nemesis.presence = 0.7;
    made.nemesis.interval = 6s;
    made.nemesis.longest = 8s;
    made.longest = 25s;
    return made;
}

/// Readers that come and go, and writers that must not starve among them.
scenario_config readers_and_writers() {
    scenario_config made = crowd();
    made.readers = 2;
    made.most_readers = 3;
    made.savers = 8;
    made.nemesis.presence = 0.3;
    return made;
}

/// Optimistic savers beside lockers.
scenario_config both_controls() {
    scenario_config made = crowd();
    made.savers = 2;
    made.promotions = 2;
    made.nemesis.presence = 0.2;
    return made;
}

/// Three processes on one item, under all faults of requests at once, by callers that change their minds.
scenario_config three_processes() {
    scenario_config made = swarm();
    made.fewest_nodes = made.most_nodes = 3;
    made.most_users = 1;
    made.most_items = 1;
    made.cancels = 2;
    made.longest_hold = 800ms;
    made.longest_rest = 800ms;
    made.network.presence = 0.9;
    made.network.worst_chance = 60'000;
    made.nemesis.presence = 0.15;
    made.longest = 28s;
    return made;
}

/// Several items at once, by some, beside others who want one of them.
scenario_config several_items() {
    scenario_config made = crowd();
    made.most_items = 3;
    made.several = 2;
    made.readers = 4;
    made.savers = 8;
    made.network.always = {request_fault_kind::answer_lost, request_fault_kind::transaction_conflict,
                           request_fault_kind::partial_batch};
    made.nemesis.presence = 0.3;
    return made;
}

/// Items that end under a lock, and are made anew.
scenario_config erased() {
    scenario_config made = several_items();
    made.most_items = 2;
    made.several = 3;
    made.erasures = 3;
    made.network.always = {request_fault_kind::answer_lost, request_fault_kind::late};
    // What the network copies after the answer may hold the next item of that key: only tombstones keep that out.
    made.network.never = {request_fault_kind::twice};
    return made;
}

/// Somebody who knows of no locks removes items and makes them anew.
scenario_config reborn() {
    scenario_config made = erased();
    made.erasures = 0;
    made.reborn = true;
    return made;
}

/// Sessions without rows.
scenario_config plain_sessions() {
    scenario_config made = swarm();
    made.plain = true;
    made.leases = {2s, 4s};
    made.most_items = 1;
    made.longest_hold = 3s;
    made.nemesis.longest = 8s;
    return made;
}

/// The same, with readers that must be kept alive for long.
scenario_config plain_readers() {
    scenario_config made = plain_sessions();
    made.readers = 2;
    made.longest_hold = 5s;
    made.nemesis.interval = 6s;
    return made;
}

/// The same, with several items at once.
scenario_config plain_several() {
    scenario_config made = plain_sessions();
    made.most_items = 3;
    made.several = 2;
    made.longest_hold = 1s;
    made.network.always = {request_fault_kind::answer_lost};
    return made;
}

/// Sessions without rows and clocks at the very ends of a promise that is exaggerated, so that margins show.
scenario_config plain_drift() {
    scenario_config made = plain_sessions();
    made.drift_ppm = 100'000;
    made.leases = {3s, 6s};
    made.nemesis.faults = {pause, partition, one_way_partition, drift_change, crash_new_identity, loop_blocked};
    made.nemesis.presence = 0.7;
    made.nemesis.interval = 8s;
    made.nemesis.longest = 9s;
    return made;
}

/// Clocks that stop: two may believe at once, and only one of them can write.
scenario_config stopped_clocks() {
    scenario_config made = swarm();
    made.nemesis.faults = {freeze, partition, crash_new_identity};
    made.nemesis.presence = 0.8;
    made.breaks_assumptions = true;
    return made;
}

const contribution item_lock_worlds{{
    .name = "item_lock",
    .scenarios = {{"swarm", 4, play<item_world, swarm>},
                  {"crowd", 3, play<item_world, crowd>},
                  {"readers-and-writers", 3, play<item_world, readers_and_writers>},
                  {"both-controls", 2, play<item_world, both_controls>},
                  {"three-processes", 3, play<item_world, three_processes>},
                  {"several-items", 3, play<item_world, several_items>},
                  {"erased", 2, play<item_world, erased>},
                  {"reborn", 2, play<item_world, reborn>},
                  {"plain-sessions", 3, play<item_world, plain_sessions>},
                  {"plain-readers", 2, play<item_world, plain_readers>},
                  {"plain-several", 2, play<item_world, plain_several>},
                  {"plain-drift", 2, play<item_world, plain_drift>},
                  {"stopped-clocks", 2, play<item_world, stopped_clocks>}},
    .coverage_points = {"locked",
                        "read locked",
                        "taken over or handed over",
                        "intended",
                        "voided",
                        "downgraded",
                        "guarded write done",
                        "guarded write in doubt",
                        "saved",
                        "save found the item locked",
                        "given up in doubt",
                        "cancelled while waiting",
                        "waited in vain",
                        "try refused",
                        "release in doubt",
                        "release lost the race",
                        "late item write applied",
                        "late item write refused",
                        "session marked dead",
                        "plain lock kept alive",
                        "holder crashed in the calm",
                        "fenced transaction done",
                        "doubt resolved by the release",
                        "audit waited for",
                        "saved by one who may promote",
                        "saved under its own lock",
                        "got several",
                        "several locked together",
                        "several written together",
                        "several refused together",
                        "transaction replayed",
                        "commit in doubt",
                        "erased under a lock",
                        "item missing"},
}};

}  // namespace

}  // namespace dynalease::simulation::item_locks
