// The kinds of worlds in which transactions run.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/primitive.hpp"
#include "simulation/transaction/scenario_config.hpp"
#include "simulation/transaction/world.hpp"

namespace dynalease::simulation::transfers {

namespace {

using enum mishap;

recipe swarm() {
    recipe made;
    made.mishaps = everything_without_leases;
    return made;
}

/// Money, and those who look at it.
recipe bank() {
    recipe made = swarm();
    made.accounts = 4;
    made.tokens = 0;
    made.callers = {
        .transfer = 10, .append = 0, .skew = 0, .survey = 2, .token = 0, .plain = 0, .read = 4, .together = 6};
    made.mishap_presence = 0.1;
    made.longest = 30s;
    return made;
}

/// Changes so large that no row can keep what a transaction wants.
recipe bulky() {
    recipe made = swarm();
    made.tiers = {transaction_tier::inline_undo};
    made.ballast = 150'000;
    made.accounts = 4;
    made.tokens = 0;
    made.callers = {.transfer = 2,
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
    made.mishaps = {crash_new_identity, crash_same_owner, pause, partition, one_way_partition};
    made.mishap_presence = 0.6;
    made.mishap_interval = 3s;
    made.longest_mishap = 6s;
    made.longest_age = 500ms;
    made.longest_rest = 300ms;
    made.shortest = 8s;
    made.longest = 15s;
    return made;
}

/// More accounts than one call reads.
recipe crowd() {
    recipe made = swarm();
    made.fewest_nodes = 2;
    made.accounts = 130;
    made.tokens = 1;
    made.callers = {.transfer = 20,
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
    made.mishap_presence = 0.1;
    made.longest = 15s;
    return made;
}

/// Lists that everybody appends to, having read others.
recipe lists() {
    recipe made = swarm();
    made.fewest_nodes = 2;
    made.accounts = 4;
    made.tokens = 0;
    made.callers = {.transfer = 0, .append = 10, .skew = 5, .survey = 2, .token = 0, .plain = 0, .read = 0};
    made.longest_rest = 150ms;
    made.mishap_presence = 0.1;
    made.longest = 25s;
    return made;
}

/// Without the call that does it all.
recipe step_by_step() {
    recipe made = swarm();
    made.tiers = {transaction_tier::inline_undo};
    made.weather.always = {request_fault_kind::answer_lost, request_fault_kind::reordered};
    made.longest_rest = 300ms;
    made.longest = 30s;
    return made;
}

/// Items that come and go.
recipe short_lives() {
    recipe made = step_by_step();
    made.tiers = {transaction_tier::inline_undo, transaction_tier::automatic};
    made.accounts = 2;
    made.callers = {.transfer = 1, .append = 0, .skew = 0, .survey = 0, .token = 10, .plain = 0};
    made.weather.always = {request_fault_kind::answer_lost, request_fault_kind::twice};
    return made;
}

/// Everybody wants the same, all the time.
recipe contention() {
    recipe made = swarm();
    made.fewest_nodes = made.most_nodes = 3;
    made.accounts = 2;
    made.tokens = 0;
    made.callers = {.transfer = 6,
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
    made.mishap_presence = 0.1;
    made.shortest = 8s;
    made.longest = 15s;
    return made;
}

/// The same, where who has lost once locks first; and others end what they find.
recipe in_turn() {
    recipe made = contention();
    made.tiers = {transaction_tier::locked_commit, transaction_tier::automatic};
    made.tokens = 1;
    made.callers.token = 3;
    made.callers.skew = 3;
    made.callers.end = 3;
    made.callers.sweep = 2;
    made.callers.pages = made.callers.free = 1;
    made.longest_age = 200ms;
    made.policies = {wait_policy::wound_wait, wait_policy::wait};
    made.mishap_presence = 0.4;
    return made;
}

/// Programs that die, and others who see to what they leave.
recipe abandoned() {
    recipe made = swarm();
    made.fewest_nodes = 2;
    made.tiers = {transaction_tier::inline_undo};
    made.callers = {
        .transfer = 5, .append = 5, .skew = 1, .survey = 0, .token = 3, .plain = 1, .read = 2, .end = 10, .sweep = 3};
    made.mishaps = {crash_new_identity, crash_same_owner, pause, partition, one_way_partition};
    made.mishap_presence = 0.8;
    made.mishap_interval = 3s;
    made.longest_mishap = 8s;
    return made;
}

/// The same again and again, under one name, by whomever.
recipe named() {
    recipe made = swarm();
    made.fewest_nodes = 2;
    made.named = 1;
    made.shared = 2;
    made.weather.always = {request_fault_kind::answer_lost, request_fault_kind::late};
    made.longest_rest = 300ms;
    made.longest = 30s;
    return made;
}

/// Callers who do not wait for the end.
recipe impatient() {
    recipe made = swarm();
    made.cancels = 2;
    made.longest_within = 800ms;
    made.named = 2;
    made.weather.always = {request_fault_kind::answer_lost, request_fault_kind::slow, request_fault_kind::late};
    made.longest_rest = 300ms;
    made.longest = 30s;
    return made;
}

/// Copies of what was over long ago.
recipe late_copies() {
    recipe made = step_by_step();
    made.most_nodes = 2;
    made.accounts = 2;
    made.callers = {.transfer = 8, .append = 3, .skew = 1, .survey = 0, .token = 4, .plain = 3};
    made.weather.always = {request_fault_kind::twice, request_fault_kind::late, request_fault_kind::copy_answered};
    made.weather.worst_chance = 80'000;
    made.mishap_presence = 0.1;
    return made;
}

/// Nobody has patience with anybody: what is alive is rolled back as if it had been left.
recipe unfriendly() {
    recipe made = step_by_step();
    made.fewest_nodes = 2;
    made.longest_patience = 50ms;
    made.longest_age = 20ms;
    made.callers.sweep = 6;
    made.callers.end = 6;
    made.mishap_presence = 0.1;
    return made;
}

template <recipe (*Recipe)()>
void play(world_run& run) {
    transfer_world(run, Recipe()).play();
}

const contribution transfer_worlds{{
    .name = "transaction",
    .scenarios = {{"swarm", 5, play<swarm>},
                  {"bank", 2, play<bank>},
                  {"bulky", 1, play<bulky>},
                  {"crowd", 1, play<crowd>},
                  {"lists", 3, play<lists>},
                  {"step-by-step", 3, play<step_by_step>},
                  {"short-lives", 3, play<short_lives>},
                  {"contention", 2, play<contention>},
                  {"in-turn", 3, play<in_turn>},
                  {"abandoned", 3, play<abandoned>},
                  {"named", 3, play<named>},
                  {"impatient", 3, play<impatient>},
                  {"late-copies", 2, play<late_copies>},
                  {"unfriendly", 2, play<unfriendly>}},
    .probes = {"done", "in doubt", "conflict", "locked", "exists", "missing", "condition failed", "cancelled",
               "body gave up", "late write applied", "plain write done", "rolled back by another",
               "carried on by another", "swept before it was decided", "swept after it was decided", "page shown",
               "read together", "freed", "not freed before it was decided"},
}};

}  // namespace

}  // namespace dynalease::simulation::transfers
