// The kinds of worlds in which transactions run.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/primitive.hpp"
#include "simulation/transaction/scenario_config.hpp"
#include "simulation/transaction/world.hpp"

namespace dynalease::simulation::transfers {

namespace {

using enum nemesis_fault;

scenario_config swarm() {
    scenario_config made;
    made.nemesis.faults = everything_without_leases;
    return made;
}

/// Money, and those who look at it.
scenario_config bank() {
    scenario_config made = swarm();
    made.accounts = 4;
    made.tokens = 0;
    made.users = {
        .transfer = 10, .append = 0, .skew = 0, .survey = 2, .token = 0, .plain = 0, .read = 4, .together = 6};
    made.nemesis.presence = 0.1;
    made.longest = 30s;
    return made;
}

/// Changes so large that no row can keep what a transaction wants.
scenario_config bulky() {
    scenario_config made = swarm();
    made.tiers = {transaction_tier::inline_undo};
    made.ballast = 150'000;
    made.accounts = 4;
    made.tokens = 0;
    made.users = {.transfer = 2,
                  .append = 8,
                  .skew = 0,
                  .survey = 0,
                  .token = 0,
                  .plain = 1,
                  .read = 1,
                  .together = 1,
                  .end = 5,
                  .sweep = 3};
    made.named = 2;
    made.nemesis.faults = {crash_new_identity, crash_same_owner, pause, partition, one_way_partition};
    made.nemesis.presence = 0.6;
    made.nemesis.interval = 3s;
    made.nemesis.longest = 6s;
    made.longest_age = 500ms;
    made.longest_rest = 300ms;
    made.shortest = 8s;
    made.longest = 15s;
    return made;
}

/// More accounts than one call reads.
scenario_config crowd() {
    scenario_config made = swarm();
    made.fewest_nodes = 2;
    made.accounts = 130;
    made.tokens = 1;
    made.users = {.transfer = 20,
                  .append = 0,
                  .skew = 0,
                  .survey = 0,
                  .token = 4,
                  .plain = 0,
                  .read = 0,
                  .together = 8,
                  .end = 1,
                  .sweep = 1,
                  .pages = 0,
                  .free = 0};
    made.longest_rest = 150ms;
    made.longest_thought = 10ms;
    made.nemesis.presence = 0.1;
    made.longest = 15s;
    return made;
}

/// Lists that everybody appends to, having read others.
scenario_config lists() {
    scenario_config made = swarm();
    made.fewest_nodes = 2;
    made.accounts = 4;
    made.tokens = 0;
    made.users = {.transfer = 0, .append = 10, .skew = 5, .survey = 2, .token = 0, .plain = 0, .read = 0};
    made.longest_rest = 150ms;
    made.nemesis.presence = 0.1;
    made.longest = 25s;
    return made;
}

/// Without the call that does it all.
scenario_config step_by_step() {
    scenario_config made = swarm();
    made.tiers = {transaction_tier::inline_undo};
    made.network.always = {request_fault_kind::answer_lost, request_fault_kind::reordered};
    made.longest_rest = 300ms;
    made.longest = 30s;
    return made;
}

/// Items that come and go.
scenario_config short_lives() {
    scenario_config made = step_by_step();
    made.tiers = {transaction_tier::inline_undo, transaction_tier::automatic};
    made.accounts = 2;
    made.users = {.transfer = 1, .append = 0, .skew = 0, .survey = 0, .token = 10, .plain = 0};
    made.network.always = {request_fault_kind::answer_lost, request_fault_kind::twice};
    return made;
}

/// Everybody wants the same, all the time.
scenario_config contention() {
    scenario_config made = swarm();
    made.fewest_nodes = made.most_nodes = 3;
    made.accounts = 2;
    made.tokens = 0;
    made.users = {.transfer = 6,
                  .append = 6,
                  .skew = 0,
                  .survey = 0,
                  .token = 0,
                  .plain = 1,
                  .read = 3,
                  .end = 0,
                  .sweep = 0,
                  .pages = 0,
                  .free = 0};
    made.longest_rest = 40ms;
    made.longest_thought = 20ms;
    made.nemesis.presence = 0.1;
    made.shortest = 8s;
    made.longest = 15s;
    return made;
}

/// The same, where who has lost once locks first; and others end what they find.
scenario_config in_turn() {
    scenario_config made = contention();
    made.tiers = {transaction_tier::locked_commit, transaction_tier::automatic};
    made.tokens = 1;
    made.users.token = 3;
    made.users.skew = 3;
    made.users.end = 3;
    made.users.sweep = 2;
    made.users.pages = made.users.free = 1;
    made.longest_age = 200ms;
    made.policies = {wait_policy::wound_wait, wait_policy::wait};
    made.nemesis.presence = 0.4;
    return made;
}

/// Programs that die, and others who see to what they leave.
scenario_config abandoned() {
    scenario_config made = swarm();
    made.fewest_nodes = 2;
    made.tiers = {transaction_tier::inline_undo};
    made.users = {
        .transfer = 5, .append = 5, .skew = 1, .survey = 0, .token = 3, .plain = 1, .read = 2, .end = 10, .sweep = 3};
    made.nemesis.faults = {crash_new_identity, crash_same_owner, pause, partition, one_way_partition};
    made.nemesis.presence = 0.8;
    made.nemesis.interval = 3s;
    made.nemesis.longest = 8s;
    return made;
}

/// The same again and again, under one name, by whomever.
scenario_config named() {
    scenario_config made = swarm();
    made.fewest_nodes = 2;
    made.named = 1;
    made.shared = 2;
    made.network.always = {request_fault_kind::answer_lost, request_fault_kind::late};
    made.longest_rest = 300ms;
    made.longest = 30s;
    return made;
}

/// Callers who do not wait for the end.
scenario_config impatient() {
    scenario_config made = swarm();
    made.cancels = 2;
    made.longest_within = 800ms;
    made.named = 2;
    made.network.always = {request_fault_kind::answer_lost, request_fault_kind::slow, request_fault_kind::late};
    made.longest_rest = 300ms;
    made.longest = 30s;
    return made;
}

/// Copies of what was over long ago.
scenario_config late_copies() {
    scenario_config made = step_by_step();
    made.most_nodes = 2;
    made.accounts = 2;
    made.users = {.transfer = 8, .append = 3, .skew = 1, .survey = 0, .token = 4, .plain = 3};
    made.network.always = {request_fault_kind::twice, request_fault_kind::late, request_fault_kind::copy_answered};
    made.network.worst_chance = 80'000;
    made.nemesis.presence = 0.1;
    return made;
}

/// Nobody has patience with anybody: what is alive is rolled back as if it had been left.
scenario_config unfriendly() {
    scenario_config made = step_by_step();
    made.fewest_nodes = 2;
    made.longest_patience = 50ms;
    made.longest_age = 20ms;
    made.users.sweep = 6;
    made.users.end = 6;
    made.nemesis.presence = 0.1;
    return made;
}

/// Whoever changes anything requires a lock, and may have lost it without knowing.
scenario_config guarded() {
    scenario_config made = swarm();
    made.fewest_nodes = 2;
    made.guarded = 1;
    made.users = {.transfer = 6, .append = 6, .skew = 2, .token = 3, .plain = 1, .read = 1, .end = 4, .sweep = 2};
    made.network.always = {request_fault_kind::answer_lost, request_fault_kind::late};
    made.nemesis.faults = everything_promised;
    made.nemesis.presence = 0.8;
    made.nemesis.interval = 2s;
    made.nemesis.longest = 5s;
    made.longest_rest = 300ms;
    made.longest_thought = 2s;
    made.longest = 30s;
    return made;
}

const contribution transfer_worlds{{
    .name = "transaction",
    .scenarios = {{"swarm", 5, play<transfer_world, swarm>},
                  {"bank", 2, play<transfer_world, bank>},
                  {"bulky", 1, play<transfer_world, bulky>},
                  {"crowd", 1, play<transfer_world, crowd>},
                  {"lists", 3, play<transfer_world, lists>},
                  {"step-by-step", 3, play<transfer_world, step_by_step>},
                  {"short-lives", 3, play<transfer_world, short_lives>},
                  {"contention", 2, play<transfer_world, contention>},
                  {"in-turn", 3, play<transfer_world, in_turn>},
                  {"abandoned", 3, play<transfer_world, abandoned>},
                  {"named", 3, play<transfer_world, named>},
                  {"impatient", 3, play<transfer_world, impatient>},
                  {"late-copies", 2, play<transfer_world, late_copies>},
                  {"unfriendly", 2, play<transfer_world, unfriendly>},
                  {"guarded", 3, play<transfer_world, guarded>}},
    .coverage_points = {"done",
                        "in doubt",
                        "conflict",
                        "locked",
                        "exists",
                        "missing",
                        "condition failed",
                        "cancelled",
                        "body gave up",
                        "late write applied",
                        "plain write done",
                        "rolled back by another",
                        "carried on by another",
                        "swept before it was decided",
                        "swept after it was decided",
                        "page shown",
                        "read together",
                        "freed",
                        "not freed before it was decided",
                        "done under the lock",
                        "lock lost"},
}};

}  // namespace

}  // namespace dynalease::simulation::transfers
