// The kinds of worlds in which queues are tried, and what must be seen in them.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/primitive.hpp"
#include "simulation/queue/scenario_config.hpp"
#include "simulation/queue/world.hpp"

namespace dynalease::simulation::queues {

namespace {

using enum nemesis_fault;

scenario_config swarm() {
    scenario_config made;
    made.nemesis.faults = everything_promised;
    return made;
}

/// Three queues, entered together by most: numbers are skipped everywhere, while processes die.
scenario_config several_at_once() {
    scenario_config made = swarm();
    made.fewest_queues = 2;
    made.most_queues = 3;
    made.several = 2;
    made.longest_hold = 800ms;
    made.longest_rest = 800ms;
    made.nemesis.faults = {pause, crash_new_identity, crash_same_owner, partition, one_way_partition, outage};
    made.nemesis.presence = 0.6;
    return made;
}

/// One queue inside few processes: most turns go from one user to the next without the table.
scenario_config hand_over() {
    scenario_config made = swarm();
    made.fewest_nodes = 1;
    made.most_nodes = 2;
    made.most_users = 5;
    made.most_queues = 1;
    made.longest_hold = 300ms;
    made.longest_rest = 500ms;
    made.cancels = 3;
    made.network.always = {request_fault_kind::answer_lost};
    made.nemesis.faults = {pause, partition, one_way_partition, loop_blocked, no_credentials, crash_same_owner};
    made.nemesis.presence = 0.6;
    made.nemesis.interval = 8s;
    made.nemesis.longest = 8s;
    made.longest = 40s;
    return made;
}

/// Writes whose answers are lost, by callers that change their minds: void tickets everywhere, and ushers.
scenario_config in_doubt() {
    scenario_config made = swarm();
    made.fewest_nodes = 3;
    made.most_nodes = 5;
    made.most_users = 2;
    made.most_queues = 1;
    made.longest_hold = 1500ms;
    made.longest_rest = 800ms;
    made.cancels = 2;
    made.network.always = {request_fault_kind::answer_lost, request_fault_kind::error_applied};
    made.nemesis.presence = 0.15;
    made.longest = 40s;
    return made;
}

/// Rows that land late: what the published recipe cannot stand.
scenario_config late_rows() {
    scenario_config made = swarm();
    made.fewest_nodes = 3;
    made.most_users = 1;
    made.most_queues = 1;
    made.longest_hold = 2000ms;
    made.longest_rest = 500ms;
    made.network.always = {request_fault_kind::late, request_fault_kind::slow};
    made.network.worst_chance = 120'000;
    made.nemesis.faults = {pause, suspend, one_way_partition, crash_new_identity, loop_blocked};
    made.nemesis.interval = 7s;
    made.nemesis.longest = 8s;
    made.longest = 40s;
    return made;
}

/// Turns around the time for which a claim protects them, in processes that are kept from writing them down.
scenario_config claims() {
    scenario_config made = swarm();
    made.most_users = 1;
    made.most_queues = 1;
    made.longest_hold = 3s;
    made.longest_rest = 400ms;
    made.network.always = {request_fault_kind::lost};
    made.network.worst_chance = 250'000;
    made.nemesis.faults = {pause, suspend, loop_blocked, partition, one_way_partition, no_connection};
    made.nemesis.presence = 0.7;
    made.nemesis.interval = 6s;
    made.nemesis.longest = 5s;
    made.longest = 40s;
    return made;
}

/// Weeks in which TTL removes what is idle, seen by processes whose wall clocks are wrong by hours.
scenario_config wrong_walls_across_expiry() {
    scenario_config made = swarm();
    made.wall_error = 20h;
    made.weeks_go_by = true;
    made.nemesis.faults = {wall_step, pause, crash_new_identity};
    made.shortest = 10s;
    made.longest = 15s;
    made.leases = {4s, 10s};
    return made;
}

/// Clocks at the very ends of a promise that is exaggerated, so that margins show.
scenario_config exaggerated_drift() {
    scenario_config made = swarm();
    made.drift_ppm = 100'000;
    made.leases = {3s, 6s};
    made.most_queues = 1;
    made.most_users = 2;
    made.longest_hold = 3s;
    made.longest_rest = 1s;
    made.nemesis.faults = {pause, partition, one_way_partition, drift_change, crash_new_identity, loop_blocked};
    made.nemesis.presence = 0.7;
    made.nemesis.interval = 8s;
    made.nemesis.longest = 9s;
    made.longest = 40s;
    return made;
}

/// Machines that are stopped with their clocks, often beyond their lease: no clock of theirs can tell, only the fence
/// protects.
scenario_config stopped_clocks() {
    scenario_config made = swarm();
    made.leases = {4s, 6s};
    made.nemesis.faults = {freeze, freeze, freeze, pause, partition, crash_new_identity};
    made.nemesis.presence = 0.9;
    made.nemesis.interval = 6s;
    made.breaks_assumptions = true;
    return made;
}

/// Operators who take from processes that live the turns that they have.
scenario_config revoked_sessions() {
    scenario_config made = swarm();
    made.longest_hold = 3s;
    made.nemesis.faults = {operator_revoke, operator_revoke, pause, partition, one_way_partition, crash_new_identity};
    made.nemesis.presence = 0.8;
    made.nemesis.interval = 5s;
    made.nemesis.longest = 8s;
    made.leases = {2s, 4s, 6s};
    made.longest = 40s;
    return made;
}

/// Rows that are edited, deleted, or lost with their table.
scenario_config lost_rows() {
    scenario_config made = swarm();
    made.nemesis.faults = {table_recreated, operator_edit, operator_delete, newer_version, pause};
    made.nemesis.presence = 0.8;
    made.nemesis.interval = 12s;
    made.wall_error = 0ms;
    made.network.never = {request_fault_kind::late, request_fault_kind::twice};
    made.loses_rows = true;
    return made;
}

/// The table as it was some time ago, tickets and all.
scenario_config restored_backup() {
    scenario_config made = lost_rows();
    made.nemesis.faults = {table_restored};
    made.nemesis.presence = 1;
    made.breaks_tokens = true;
    made.turns_back = {0, 3'000, 1'000'000};
    return made;
}

/// A hundred callers in a process, who take turns of no time, and die together.
scenario_config crowds() {
    scenario_config made = swarm();
    made.fewest_nodes = 2;
    made.most_nodes = 3;
    made.most_users = 100;
    made.most_queues = 1;
    made.longest_hold = 0ms;
    made.longest_rest = 5s;
    made.network.worst_chance = 10'000;
    made.nemesis.faults = {crash_new_identity, pause};
    made.nemesis.presence = 0.9;
    made.longest = 25s;
    // They draw one after the other, each for a wish of long ago.
    made.demand.to_a_row += made.most_users;
    return made;
}

/// Answers that are slow, to looks above all, at queues that are only just made.
scenario_config slow_looks() {
    scenario_config made = swarm();
    made.most_users = 2;
    made.looks = 2;
    made.longest_rest = 600ms;
    made.network.always = {request_fault_kind::slow};
    made.network.worst_chance = 250'000;
    made.nemesis.faults = {pause, loop_blocked};
    made.longest = 20s;
    return made;
}

/// Intervals at both ends of what is allowed.
scenario_config odd_options() {
    scenario_config made = swarm();
    made.odd_options = true;
    made.demand.to_a_row = 800;  // a look every 10 ms, if that is what they are told
    made.demand.in_all = 2500;
    made.longest_hold = 300ms;
    made.longest = 30s;
    return made;
}

const contribution queue_worlds{{
    .name = "queue",
    .scenarios = {{"swarm", 5, play<queue_world, swarm>},
                  {"several-at-once", 4, play<queue_world, several_at_once>},
                  {"hand-over", 3, play<queue_world, hand_over>},
                  {"in-doubt", 3, play<queue_world, in_doubt>},
                  {"late-rows", 3, play<queue_world, late_rows>},
                  {"claims", 3, play<queue_world, claims>},
                  {"wrong-walls-across-expiry", 1, play<queue_world, wrong_walls_across_expiry>},
                  {"exaggerated-drift", 2, play<queue_world, exaggerated_drift>},
                  {"stopped-clocks", 1, play<queue_world, stopped_clocks>},
                  {"revoked-sessions", 1, play<queue_world, revoked_sessions>},
                  {"lost-rows", 1, play<queue_world, lost_rows>},
                  {"restored-backup", 2, play<queue_world, restored_backup>},
                  {"crowds", 1, play<queue_world, crowds>},
                  {"slow-looks", 2, play<queue_world, slow_looks>},
                  {"odd-options", 1, play<queue_world, odd_options>}},
    .coverage_points = {"drawn",
                        "written down",
                        "turn written down",
                        "row refused",
                        "passed over",
                        "several passed over",
                        "passed over by one who does not wait",
                        "left",
                        "left idle",
                        "rested",
                        "given up",
                        "buried",
                        "head made",
                        "head row lost",
                        "waited for",
                        "several entered at once",
                        "several waited for",
                        "several given up",
                        "numbers skipped",
                        "handed over in the process",
                        "late draw applied",
                        "late draw refused",
                        "late end of a turn applied",
                        "late end of a turn refused",
                        "session marked dead",
                        "session closed",
                        "jeopardy",
                        "unknown write applied",
                        "unknown write void",
                        "given up in doubt",
                        "cancelled while waiting",
                        "waited in vain",
                        "try granted",
                        "try refused",
                        "somebody known to live",
                        "nobody known to live",
                        "looked at",
                        "looked at in passing",
                        "told of a place",
                        "told of coming nearer",
                        "head from long ago",
                        "many callers",
                        "turn lost",
                        "leaving in doubt",
                        "leaving lost the race",
                        "stale write refused outside",
                        "fenced transaction done",
                        "fenced transaction refused",
                        "holder crashed in the calm"},
}};

}  // namespace

}  // namespace dynalease::simulation::queues
