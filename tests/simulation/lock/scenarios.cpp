// The kinds of worlds in which locks are tried, and what must be seen in them.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/primitive.hpp"
#include "simulation/lock/scenario_config.hpp"
#include "simulation/lock/world.hpp"

namespace dynalease::simulation::locks {

namespace {

using enum nemesis_fault;

scenario_config swarm() {
    scenario_config made;
    made.nemesis.faults = everything_promised;
    return made;
}

/// Many hand-overs inside processes that lose their sessions meanwhile.
scenario_config loss_and_hand_over() {
    scenario_config made = swarm();
    made.most_users = 4;
    made.most_locks = 1;
    made.leases = {2s, 4s};
    made.longest_hold = 300ms;
    made.longest_rest = 500ms;
    made.network.always = {request_fault_kind::answer_lost};
    made.nemesis.faults = {pause, partition, one_way_partition, loop_blocked, no_credentials, crash_same_owner};
    made.nemesis.presence = 0.7;
    made.nemesis.interval = 6s;
    made.nemesis.longest = 8s;
    made.longest = 45s;
    return made;
}

/// Three processes on one row, under all faults of requests at once.
scenario_config three_processes() {
    scenario_config made = swarm();
    made.fewest_nodes = made.most_nodes = 3;
    made.most_users = 1;
    made.most_locks = 1;
    made.network.presence = 0.9;
    made.network.worst_chance = 60'000;
    made.nemesis.presence = 0.15;
    made.longest = 50s;
    return made;
}

/// Writes of the line whose answers are lost, by callers that change their minds.
scenario_config line_in_doubt() {
    scenario_config made = swarm();
    made.fewest_nodes = 3;
    made.most_nodes = 5;
    made.most_users = 2;
    made.most_locks = 1;
    made.longest_hold = 1500ms;
    made.longest_rest = 800ms;
    made.cancels = 2;
    made.network.always = {request_fault_kind::answer_lost, request_fault_kind::error_applied};
    made.nemesis.presence = 0.15;
    made.longest = 45s;
    return made;
}

/// Days in which TTL removes rows, seen by processes whose wall clocks are wrong by hours.
scenario_config wrong_walls_across_expiry() {
    scenario_config made = swarm();
    made.wall_error = 20h;
    made.days_go_by = true;
    made.nemesis.faults = {wall_step, pause, crash_new_identity};
    made.shortest = 10s;
    made.longest = 20s;
    made.leases = {4s, 10s};
    return made;
}

/// Clocks at the very ends of a promise that is exaggerated, so that margins show.
scenario_config exaggerated_drift() {
    scenario_config made = swarm();
    made.drift_ppm = 100'000;
    made.leases = {3s, 6s};
    made.most_locks = 1;
    made.nemesis.faults = {pause, partition, one_way_partition, drift_change, crash_new_identity, loop_blocked};
    made.nemesis.presence = 0.7;
    made.nemesis.interval = 8s;
    made.nemesis.longest = 9s;
    made.longest = 50s;
    return made;
}

/// Leases so short that they end between two looks.
scenario_config short_leases() {
    scenario_config made = swarm();
    made.leases = {1s, 1500ms};
    made.longest_hold = 4s;
    made.nemesis.interval = 5s;
    made.nemesis.longest = 4s;
    made.longest = 30s;
    return made;
}

/// Machines that are stopped with their clocks, often beyond their lease: no clock of theirs can tell, only the fence
/// protects.
scenario_config stopped_clocks() {
    scenario_config made = swarm();
    made.nemesis.faults = {freeze, freeze, freeze, pause, partition, crash_new_identity};
    made.nemesis.presence = 1;
    made.nemesis.interval = 5s;
    made.nemesis.longest = 25s;
    made.leases = {2s, 4s};
    made.most_locks = 1;
    made.longest_hold = 6s;
    made.breaks_assumptions = true;
    return made;
}

/// Locks that are given back as soon as they are had and wanted again at once, by processes whose clocks are behind and
/// whose ways are longer than others'.
scenario_config without_a_rest() {
    scenario_config made = swarm();
    made.fewest_nodes = 3;
    made.most_users = 6;
    made.most_locks = 1;
    made.longest_hold = 0ms;
    made.longest_rest = 2ms;
    made.wall_error = 500ms;
    made.cancels = 20;
    made.network.longer_ways = 4;
    made.network.presence = 0.1;
    made.nemesis.faults = {wall_step, drift_change, pause};
    made.nemesis.presence = 0.3;
    made.nemesis.longest = 5s;
    made.shortest = 5s;
    made.longest = 12s;
    made.patience = 120s;  // 33 turns of others, of nine grants each
    return made;
}

/// Operators who take from processes that live what they hold, in the middle of everything.
scenario_config revoked_sessions() {
    scenario_config made = swarm();
    made.nemesis.faults = {operator_revoke, operator_revoke,   operator_revoke, pause,
                           partition,       one_way_partition, drift_change,    crash_new_identity};
    made.nemesis.presence = 0.8;
    made.nemesis.interval = 5s;
    made.nemesis.longest = 8s;
    made.leases = {2s, 4s, 6s};
    made.longest = 45s;
    return made;
}

/// Every option at one end of its range or the other.
scenario_config ends_of_options() {
    scenario_config made = swarm();
    made.leases = {1s, 2min};
    made.poll_intervals = {10ms, 140ms, 1000ms};
    // A look each 10 ms, with its jitter.
    made.demand.at_once = 140;
    made.demand.to_a_row = 650;
    made.demand.in_all = 1500;
    made.longest_hold = 300ms;
    made.longest_rest = 500ms;
    made.nemesis.presence = 0.3;
    made.longest = 30s;
    return made;
}

/// A hundred callers in a process, many of whom end at the same time.
scenario_config crowded_processes() {
    scenario_config made = swarm();
    made.most_nodes = 3;
    made.most_users = 100;
    made.longest_hold = 20ms;
    made.longest_rest = 2s;
    made.leases = {4s, 6s};
    made.nemesis.presence = 0.3;
    made.nemesis.longest = 8s;
    made.longest = 25s;
    return made;
}

/// Rows that are edited, deleted, lost with their table, or come back from an old backup.
scenario_config lost_rows() {
    scenario_config made = swarm();
    made.nemesis.faults = {table_recreated, table_restored, operator_edit, operator_delete, newer_version, pause};
    made.nemesis.presence = 0.8;
    made.nemesis.interval = 12s;
    made.wall_error = 0ms;
    made.network.never = {request_fault_kind::late, request_fault_kind::twice};
    made.breaks_assumptions = true;
    return made;
}

const contribution lock_worlds{{
    .name = "lock",
    .scenarios = {{"swarm", 6, play<lock_world, swarm>},
                  {"loss-and-hand-over", 3, play<lock_world, loss_and_hand_over>},
                  {"three-processes", 3, play<lock_world, three_processes>},
                  {"line-in-doubt", 3, play<lock_world, line_in_doubt>},
                  {"wrong-walls-across-expiry", 1, play<lock_world, wrong_walls_across_expiry>},
                  {"exaggerated-drift", 2, play<lock_world, exaggerated_drift>},
                  {"short-leases", 1, play<lock_world, short_leases>},
                  {"stopped-clocks", 2, play<lock_world, stopped_clocks>},
                  {"without-a-rest", 2, play<lock_world, without_a_rest>},
                  {"revoked-sessions", 1, play<lock_world, revoked_sessions>},
                  {"ends-of-options", 2, play<lock_world, ends_of_options>},
                  {"crowded-processes", 1, play<lock_world, crowded_processes>},
                  {"lost-rows", 1, play<lock_world, lost_rows>}},
    .coverage_points = {"taken",
                        "taken over",
                        "handed over",
                        "joined the line",
                        "rejoined with the release",
                        "left the line",
                        "left the line, closed",
                        "head of the line overtaken",
                        "absent head dropped",
                        "released",
                        "released either of two",
                        "voided while free",
                        "voided while held",
                        "late lock write applied",
                        "late lock write refused",
                        "late heartbeat refused",
                        "session marked dead",
                        "session closed",
                        "jeopardy",
                        "own copy found",
                        "unknown write applied",
                        "unknown write void",
                        "given up in doubt",
                        "cancelled while waiting",
                        "waited in vain",
                        "try refused",
                        "guard lost",
                        "release in doubt",
                        "release lost the race",
                        "stale write refused outside",
                        "fenced transaction done",
                        "fenced transaction refused",
                        "holder crashed in the calm",
                        "audit waited for",
                        "two believed at once, and the fence decided"},
}};

}  // namespace

}  // namespace dynalease::simulation::locks
