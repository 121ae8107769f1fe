// The kinds of worlds in which versioned items are tried, and what must be seen in them.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/primitive.hpp"
#include "simulation/versioned/scenario_config.hpp"
#include "simulation/versioned/world.hpp"

namespace dynalease::simulation::versions {

namespace {

using enum nemesis_fault;

scenario_config swarm() {
    scenario_config made;
    made.nemesis.faults = everything_without_leases;
    return made;
}

/// Items that are removed and made again, under every kind of lateness.
scenario_config short_lives() {
    scenario_config made = swarm();
    made.most_items = 1;
    made.users = {.save = 4, .touch = 2, .remove = 6, .update = 2, .blind = 1, .joint = 0};
    made.stale = 3;
    made.longest_rest = 600ms;
    made.network.always = {request_fault_kind::answer_lost, request_fault_kind::twice};
    made.nemesis.presence = 0.1;
    made.longest = 40s;
    return made;
}

/// Without tombstones a version number returns with every new life of an item.
scenario_config erased() {
    scenario_config made = short_lives();
    made.removal = removal::erase;
    made.no_late_creations = true;
    made.network.always = {request_fault_kind::answer_lost, request_fault_kind::late};
    return made;
}

/// Many writers and many lost answers, so that others write between a write and the next copy of it.
scenario_config contention() {
    scenario_config made = swarm();
    made.fewest_nodes = made.most_nodes = 5;
    made.most_items = 1;
    made.users = {.save = 3, .remove = 0, .update = 10, .blind = 0, .joint = 0};
    made.locks = false;
    made.longest_rest = 150ms;
    made.longest_thought = 50ms;
    made.network.always = {request_fault_kind::answer_lost, request_fault_kind::reordered};
    made.nemesis.presence = 0.1;
    made.longest = 30s;
    return made;
}

/// Writers that do not look, beside those that do.
scenario_config blind_writers() {
    scenario_config made = swarm();
    made.most_items = 1;
    made.users = {.save = 4, .remove = 1, .update = 3, .blind = 8, .exact = 3, .clobber = 2, .joint = 0};
    made.longest_rest = 500ms;
    made.network.always = {request_fault_kind::answer_lost, request_fault_kind::twice};
    made.nemesis.presence = 0.1;
    made.longest = 40s;
    return made;
}

/// Writers that neither look nor care whether there is an item. A late creation would bring one back: keep them from
/// it.
scenario_config unchecked() {
    scenario_config made = blind_writers();
    made.removal = removal::erase;
    made.no_late_creations = true;
    made.users = {
        .save = 4, .remove = 1, .update = 3, .blind = 3, .clobber = 3, .upsert = 3, .clobber_remove = 3, .joint = 0};
    return made;
}

/// Items that do not keep the stamps of their writes.
scenario_config without_stamps() {
    scenario_config made = swarm();
    made.kept.stamps = false;
    made.users.clobber = 1;
    made.network.always = {request_fault_kind::answer_lost};
    made.longest = 40s;
    return made;
}

/// Beside the mappers of other languages, which keep our attributes, or drop them with each write.
scenario_config beside_updating_strangers() {
    scenario_config made = swarm();
    made.most_items = 1;
    made.beside = strangers::update;
    made.longest = 40s;
    return made;
}
scenario_config beside_putting_strangers() {
    scenario_config made = beside_updating_strangers();
    made.beside = strangers::put;
    made.locks = false;
    made.users.remove = 0;  // a stranger's item that is removed and made again may have a version twice
    return made;
}

/// Beside programs that keep what is their own inside of our callers' members, and raise no version.
scenario_config beside_careless_strangers() {
    scenario_config made = swarm();
    made.most_items = 2;
    made.beside = strangers::aside;
    made.kept.cards_are_shared = true;
    made.users = {.save = 6, .whole = 0, .revision = 0, .remove = 1, .update = 6, .blind = 1, .exact = 0, .joint = 4};
    made.locks = false;
    made.network.always = {request_fault_kind::answer_lost, request_fault_kind::twice};
    made.longest = 40s;
    return made;
}

/// Several items in one write, or none.
scenario_config together() {
    scenario_config made = swarm();
    made.most_items = 3;
    made.users = {.save = 2, .remove = 1, .update = 2, .blind = 1, .joint = 10};
    made.network.always = {request_fault_kind::answer_lost, request_fault_kind::transaction_conflict,
                           request_fault_kind::partial_batch};
    made.longest = 40s;
    return made;
}

/// ... beside actions that the library knows nothing of, and conditions of the callers' own.
scenario_config beside_an_outbox() {
    scenario_config made = together();
    made.foreign_actions = true;
    made.network.always = {request_fault_kind::answer_lost, request_fault_kind::late};
    made.locks = false;
    return made;
}

/// A table that keeps versions under other names and by other steps than those who write beside our callers.
scenario_config other_names() {
    scenario_config made = swarm();
    made.most_items = 2;
    made.kept = {.version = "rev", .stamp = "mark", .lock_prefix = "held", .step = 10};
    made.beside = strangers::update;
    made.network.always = {request_fault_kind::answer_lost, request_fault_kind::reordered};
    made.longest = 40s;
    return made;
}

/// Time enough for TTL to remove tombstones.
scenario_config tombstones_expire() {
    scenario_config made = short_lives();
    made.hours_go_by = true;
    made.nemesis.faults = {wall_step, pause, crash_new_identity};
    made.shortest = 10s;
    made.longest = 15s;
    return made;
}

const contribution version_worlds{{
    .name = "versioned",
    .scenarios = {{"swarm", 5, play<version_world, swarm>},
                  {"short-lives", 3, play<version_world, short_lives>},
                  {"erased", 3, play<version_world, erased>},
                  {"contention", 2, play<version_world, contention>},
                  {"blind-writers", 3, play<version_world, blind_writers>},
                  {"unchecked", 2, play<version_world, unchecked>},
                  {"without-stamps", 2, play<version_world, without_stamps>},
                  {"beside-updating-strangers", 2, play<version_world, beside_updating_strangers>},
                  {"beside-putting-strangers", 1, play<version_world, beside_putting_strangers>},
                  {"beside-careless-strangers", 2, play<version_world, beside_careless_strangers>},
                  {"together", 2, play<version_world, together>},
                  {"beside-an-outbox", 2, play<version_world, beside_an_outbox>},
                  {"other-names", 1, play<version_world, other_names>},
                  {"tombstones-expire", 1, play<version_world, tombstones_expire>}},
    .coverage_points = {"written",
                        "own write found under others",
                        "conflict",
                        "exists",
                        "missing",
                        "locked",
                        "in doubt",
                        "cancelled",
                        "resolved: applied",
                        "resolved: not applied",
                        "closed",
                        "left open",
                        "late write applied",
                        "late write refused",
                        "several written together",
                        "several refused together",
                        "several resolved together",
                        "a condition of others refused all",
                        "transaction replayed",
                        "loaded together",
                        "upserted",
                        "removed whatever was there",
                        "conflict over what another has taken"},
}};

}  // namespace

}  // namespace dynalease::simulation::versions
