// The kinds of worlds in which locks are tried, and what must be seen in them.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/primitive.hpp"
#include "simulation/lock/scenario_config.hpp"
#include "simulation/lock/world.hpp"

namespace dynalease::simulation::locks {

namespace {

using enum mishap;

recipe swarm() {
    recipe made;
    made.mishaps = everything_promised;
    return made;
}

/// Many hand-overs inside processes that lose their sessions meanwhile.
recipe loss_and_hand_over() {
    recipe made = swarm();
    made.most_users = 4;
    made.most_locks = 1;
    made.leases = {2s, 4s};
    made.longest_hold = 300ms;
    made.longest_rest = 500ms;
    made.weather.always = {request_fault_kind::answer_lost};
    made.mishaps = {pause, partition, one_way_partition, loop_blocked, no_credentials, crash_same_owner};
    made.mishap_presence = 0.7;
    made.mishap_interval = 6s;
    made.longest_mishap = 8s;
    made.longest = 45s;
    return made;
}

/// Three processes on one row, under all faults of requests at once.
recipe three_processes() {
    recipe made = swarm();
    made.fewest_nodes = made.most_nodes = 3;
    made.most_users = 1;
    made.most_locks = 1;
    made.weather.presence = 0.9;
    made.weather.worst_chance = 60'000;
    made.mishap_presence = 0.15;
    made.longest = 50s;
    return made;
}

/// Writes of the line whose answers are lost, by callers that change their minds.
recipe line_in_doubt() {
    recipe made = swarm();
    made.fewest_nodes = 3;
    made.most_nodes = 5;
    made.most_users = 2;
    made.most_locks = 1;
    made.longest_hold = 1500ms;
    made.longest_rest = 800ms;
    made.cancels = 2;
    made.weather.always = {request_fault_kind::answer_lost, request_fault_kind::error_applied};
    made.mishap_presence = 0.15;
    made.longest = 45s;
    return made;
}

/// Days in which TTL removes rows, seen by processes whose wall clocks are wrong by hours.
recipe wrong_walls_across_expiry() {
    recipe made = swarm();
    made.wall_error = 20h;
    made.days_go_by = true;
    made.mishaps = {wall_step, pause, crash_new_identity};
    made.shortest = 10s;
    made.longest = 20s;
    made.leases = {4s, 10s};
    return made;
}

/// Clocks at the very ends of a promise that is exaggerated, so that margins show.
recipe exaggerated_drift() {
    recipe made = swarm();
    made.drift_ppm = 100'000;
    made.leases = {3s, 6s};
    made.most_locks = 1;
    made.mishaps = {pause, partition, one_way_partition, drift_change, crash_new_identity, loop_blocked};
    made.mishap_presence = 0.7;
    made.mishap_interval = 8s;
    made.longest_mishap = 9s;
    made.longest = 50s;
    return made;
}

/// Leases so short that they end between two looks.
recipe short_leases() {
    recipe made = swarm();
    made.leases = {1s, 1500ms};
    made.longest_hold = 4s;
    made.mishap_interval = 5s;
    made.longest_mishap = 4s;
    made.longest = 30s;
    return made;
}

/// Machines that are stopped with their clocks, often beyond their lease: no clock of theirs can tell, only the fence
/// protects.
recipe stopped_clocks() {
    recipe made = swarm();
    made.mishaps = {freeze, freeze, freeze, pause, partition, crash_new_identity};
    made.mishap_presence = 1;
    made.mishap_interval = 5s;
    made.longest_mishap = 25s;
    made.leases = {2s, 4s};
    made.most_locks = 1;
    made.longest_hold = 6s;
    made.breaks_assumptions = true;
    return made;
}

/// Locks that are given back as soon as they are had and wanted again at once, by processes whose clocks are behind and
/// whose ways are longer than others'.
recipe without_a_rest() {
    recipe made = swarm();
    made.fewest_nodes = 3;
    made.most_users = 6;
    made.most_locks = 1;
    made.longest_hold = 0ms;
    made.longest_rest = 2ms;
    made.wall_error = 500ms;
    made.cancels = 20;
    made.weather.longer_ways = 4;
    made.weather.presence = 0.1;
    made.mishaps = {wall_step, drift_change, pause};
    made.mishap_presence = 0.3;
    made.longest_mishap = 5s;
    made.shortest = 5s;
    made.longest = 12s;
    made.patience = 120s;  // 33 turns of others, of nine grants each
    return made;
}

/// Every option at one end of its range or the other.
recipe ends_of_options() {
    recipe made = swarm();
    made.leases = {1s, 2min};
    made.poll_intervals = {10ms, 140ms, 1000ms};
    // A look each 10 ms, with its jitter.
    made.demand.at_once = 140;
    made.demand.to_a_row = 650;
    made.demand.in_all = 1500;
    made.longest_hold = 300ms;
    made.longest_rest = 500ms;
    made.mishap_presence = 0.3;
    made.longest = 30s;
    return made;
}

/// A hundred callers in a process, many of whom end at the same time.
recipe crowded_processes() {
    recipe made = swarm();
    made.most_nodes = 3;
    made.most_users = 100;
    made.longest_hold = 20ms;
    made.longest_rest = 2s;
    made.leases = {4s, 6s};
    made.mishap_presence = 0.3;
    made.longest_mishap = 8s;
    made.longest = 25s;
    return made;
}

/// Rows that are edited, deleted, lost with their table, or come back from an old backup.
recipe lost_rows() {
    recipe made = swarm();
    made.mishaps = {table_recreated, table_restored, operator_edit, operator_delete, newer_version, pause};
    made.mishap_presence = 0.8;
    made.mishap_interval = 12s;
    made.wall_error = 0ms;
    made.weather.never = {request_fault_kind::late, request_fault_kind::twice};
    made.breaks_assumptions = true;
    return made;
}

template <recipe (*Recipe)()>
void play(world_run& run) {
    lock_world(run, Recipe()).play();
}

const contribution lock_worlds{{
    .name = "lock",
    .scenarios = {{"swarm", 6, play<swarm>},
                  {"loss-and-hand-over", 3, play<loss_and_hand_over>},
                  {"three-processes", 3, play<three_processes>},
                  {"line-in-doubt", 3, play<line_in_doubt>},
                  {"wrong-walls-across-expiry", 1, play<wrong_walls_across_expiry>},
                  {"exaggerated-drift", 2, play<exaggerated_drift>},
                  {"short-leases", 1, play<short_leases>},
                  {"stopped-clocks", 2, play<stopped_clocks>},
                  {"without-a-rest", 2, play<without_a_rest>},
                  {"ends-of-options", 2, play<ends_of_options>},
                  {"crowded-processes", 1, play<crowded_processes>},
                  {"lost-rows", 1, play<lost_rows>}},
    .probes = {"taken",
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
