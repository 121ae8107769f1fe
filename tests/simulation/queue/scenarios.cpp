// The kinds of worlds in which queues are tried, and what must be seen in them.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/primitive.hpp"
#include "simulation/queue/scenario_config.hpp"
#include "simulation/queue/world.hpp"

namespace dynalease::simulation::queues {

namespace {

using enum mishap;

recipe swarm() {
    recipe made;
    made.mishaps = everything_promised;
    return made;
}

/// Three queues, entered together by most: numbers are skipped everywhere, while processes die.
recipe several_at_once() {
    recipe made = swarm();
    made.fewest_queues = 2;
    made.most_queues = 3;
    made.several = 2;
    made.longest_hold = 800ms;
    made.longest_rest = 800ms;
    made.mishaps = {pause, crash_new_identity, crash_same_owner, partition, one_way_partition, outage};
    made.mishap_presence = 0.6;
    return made;
}

/// One queue inside few processes: most turns go from one user to the next without the table.
recipe hand_over() {
    recipe made = swarm();
    made.fewest_nodes = 1;
    made.most_nodes = 2;
    made.most_users = 5;
    made.most_queues = 1;
    made.longest_hold = 300ms;
    made.longest_rest = 500ms;
    made.cancels = 3;
    made.weather.always = {request_fault_kind::answer_lost};
    made.mishaps = {pause, partition, one_way_partition, loop_blocked, no_credentials, crash_same_owner};
    made.mishap_presence = 0.6;
    made.mishap_interval = 8s;
    made.longest_mishap = 8s;
    made.longest = 40s;
    return made;
}

/// Writes whose answers are lost, by callers that change their minds: void tickets everywhere, and ushers.
recipe in_doubt() {
    recipe made = swarm();
    made.fewest_nodes = 3;
    made.most_nodes = 5;
    made.most_users = 2;
    made.most_queues = 1;
    made.longest_hold = 1500ms;
    made.longest_rest = 800ms;
    made.cancels = 2;
    made.weather.always = {request_fault_kind::answer_lost, request_fault_kind::error_applied};
    made.mishap_presence = 0.15;
    made.longest = 40s;
    return made;
}

/// Rows that land late: what the published recipe cannot stand.
recipe late_rows() {
    recipe made = swarm();
    made.fewest_nodes = 3;
    made.most_users = 1;
    made.most_queues = 1;
    made.longest_hold = 2000ms;
    made.longest_rest = 500ms;
    made.weather.always = {request_fault_kind::late, request_fault_kind::slow};
    made.weather.worst_chance = 120'000;
    made.mishaps = {pause, suspend, one_way_partition, crash_new_identity, loop_blocked};
    made.mishap_interval = 7s;
    made.longest_mishap = 8s;
    made.longest = 40s;
    return made;
}

/// Turns around the time for which a claim protects them, in processes that are kept from writing them down.
recipe claims() {
    recipe made = swarm();
    made.most_users = 1;
    made.most_queues = 1;
    made.longest_hold = 3s;
    made.longest_rest = 400ms;
    made.weather.always = {request_fault_kind::lost};
    made.weather.worst_chance = 250'000;
    made.mishaps = {pause, suspend, loop_blocked, partition, one_way_partition, no_connection};
    made.mishap_presence = 0.7;
    made.mishap_interval = 6s;
    made.longest_mishap = 5s;
    made.longest = 40s;
    return made;
}

/// Weeks in which TTL removes what is idle, seen by processes whose wall clocks are wrong by hours.
recipe wrong_walls_across_expiry() {
    recipe made = swarm();
    made.wall_error = 20h;
    made.weeks_go_by = true;
    made.mishaps = {wall_step, pause, crash_new_identity};
    made.shortest = 10s;
    made.longest = 15s;
    made.leases = {4s, 10s};
    return made;
}

/// Clocks at the very ends of a promise that is exaggerated, so that margins show.
recipe exaggerated_drift() {
    recipe made = swarm();
    made.drift_ppm = 100'000;
    made.leases = {3s, 6s};
    made.most_queues = 1;
    made.most_users = 2;
    made.longest_hold = 3s;
    made.longest_rest = 1s;
    made.mishaps = {pause, partition, one_way_partition, drift_change, crash_new_identity, loop_blocked};
    made.mishap_presence = 0.7;
    made.mishap_interval = 8s;
    made.longest_mishap = 9s;
    made.longest = 40s;
    return made;
}

/// Machines that are stopped with their clocks, often beyond their lease: no clock of theirs can tell, only the fence
/// protects.
recipe stopped_clocks() {
    recipe made = swarm();
    made.leases = {4s, 6s};
    made.mishaps = {freeze, freeze, freeze, pause, partition, crash_new_identity};
    made.mishap_presence = 0.9;
    made.mishap_interval = 6s;
    made.breaks_assumptions = true;
    return made;
}

/// Rows that are edited, deleted, or lost with their table.
recipe lost_rows() {
    recipe made = swarm();
    made.mishaps = {table_recreated, operator_edit, operator_delete, newer_version, pause};
    made.mishap_presence = 0.8;
    made.mishap_interval = 12s;
    made.wall_error = 0ms;
    made.weather.never = {request_fault_kind::late, request_fault_kind::twice};
    made.loses_rows = true;
    return made;
}

/// The table as it was some time ago, tickets and all.
recipe restored_backup() {
    recipe made = lost_rows();
    made.mishaps = {table_restored};
    made.mishap_presence = 1;
    made.breaks_tokens = true;
    made.turns_back = {0, 3'000, 1'000'000};
    return made;
}

/// A hundred callers in a process, who take turns of no time, and die together.
recipe crowds() {
    recipe made = swarm();
    made.fewest_nodes = 2;
    made.most_nodes = 3;
    made.most_users = 100;
    made.most_queues = 1;
    made.longest_hold = 0ms;
    made.longest_rest = 5s;
    made.weather.worst_chance = 10'000;
    made.mishaps = {crash_new_identity, pause};
    made.mishap_presence = 0.9;
    made.longest = 25s;
    // They draw one after the other, each for a wish of long ago.
    made.demand.to_a_row += made.most_users;
    return made;
}

/// Answers that are slow, to looks above all, at queues that are only just made.
recipe slow_looks() {
    recipe made = swarm();
    made.most_users = 2;
    made.looks = 2;
    made.longest_rest = 600ms;
    made.weather.always = {request_fault_kind::slow};
    made.weather.worst_chance = 250'000;
    made.mishaps = {pause, loop_blocked};
    made.longest = 20s;
    return made;
}

/// Intervals at both ends of what is allowed.
recipe odd_options() {
    recipe made = swarm();
    made.odd_options = true;
    made.demand.to_a_row = 800;  // a look every 10 ms, if that is what they are told
    made.demand.in_all = 2500;
    made.longest_hold = 300ms;
    made.longest = 30s;
    return made;
}

template <recipe (*Recipe)()>
void play(world_run& run) {
    queue_world(run, Recipe()).play();
}

const contribution queue_worlds{{
    .name = "queue",
    .scenarios = {{"swarm", 5, play<swarm>},
                  {"several-at-once", 4, play<several_at_once>},
                  {"hand-over", 3, play<hand_over>},
                  {"in-doubt", 3, play<in_doubt>},
                  {"late-rows", 3, play<late_rows>},
                  {"claims", 3, play<claims>},
                  {"wrong-walls-across-expiry", 1, play<wrong_walls_across_expiry>},
                  {"exaggerated-drift", 2, play<exaggerated_drift>},
                  {"stopped-clocks", 1, play<stopped_clocks>},
                  {"lost-rows", 1, play<lost_rows>},
                  {"restored-backup", 2, play<restored_backup>},
                  {"crowds", 1, play<crowds>},
                  {"slow-looks", 2, play<slow_looks>},
                  {"odd-options", 1, play<odd_options>}},
    .probes = {"drawn",
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
