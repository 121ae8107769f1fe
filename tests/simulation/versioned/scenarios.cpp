// The kinds of worlds in which versioned items are tried, and what must be seen in them.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/primitive.hpp"
#include "simulation/versioned/scenario_config.hpp"
#include "simulation/versioned/world.hpp"

namespace dynalease::simulation::versions {

namespace {

using enum mishap;

recipe swarm() {
    recipe made;
    made.mishaps = everything_without_leases;
    return made;
}

/// Items that are removed and made again, under every kind of lateness.
recipe short_lives() {
    recipe made = swarm();
    made.most_items = 1;
    made.callers = {.save = 4, .touch = 2, .remove = 6, .update = 2, .blind = 1, .joint = 0};
    made.stale = 3;
    made.longest_rest = 600ms;
    made.weather.always = {request_fault_kind::answer_lost, request_fault_kind::twice};
    made.mishap_presence = 0.1;
    made.longest = 40s;
    return made;
}

/// Without tombstones a version number returns with every new life of an item.
recipe erased() {
    recipe made = short_lives();
    made.removal = removal::erase;
    made.no_late_creations = true;
    made.weather.always = {request_fault_kind::answer_lost, request_fault_kind::late};
    return made;
}

/// Many writers and many lost answers, so that others write between a write and the next copy of it.
recipe contention() {
    recipe made = swarm();
    made.fewest_nodes = made.most_nodes = 5;
    made.most_items = 1;
    made.callers = {.save = 3, .remove = 0, .update = 10, .blind = 0, .joint = 0};
    made.locks = false;
    made.longest_rest = 150ms;
    made.longest_thought = 50ms;
    made.weather.always = {request_fault_kind::answer_lost, request_fault_kind::reordered};
    made.mishap_presence = 0.1;
    made.longest = 30s;
    return made;
}

/// Writers that do not look, beside those that do.
recipe blind_writers() {
    recipe made = swarm();
    made.most_items = 1;
    made.callers = {.save = 4, .remove = 1, .update = 3, .blind = 8, .exact = 3, .clobber = 2, .joint = 0};
    made.longest_rest = 500ms;
    made.weather.always = {request_fault_kind::answer_lost, request_fault_kind::twice};
    made.mishap_presence = 0.1;
    made.longest = 40s;
    return made;
}

/// Writers that neither look nor care whether there is an item. A late creation would bring one back: keep them from
/// it.
recipe unchecked() {
    recipe made = blind_writers();
    made.removal = removal::erase;
    made.no_late_creations = true;
    made.callers = {
        .save = 4, .remove = 1, .update = 3, .blind = 3, .clobber = 3, .upsert = 3, .clobber_remove = 3, .joint = 0};
    return made;
}

/// Items that do not keep the stamps of their writes.
recipe without_stamps() {
    recipe made = swarm();
    made.kept.stamps = false;
    made.callers.clobber = 1;
    made.weather.always = {request_fault_kind::answer_lost};
    made.longest = 40s;
    return made;
}

/// Beside the mappers of other languages, which keep our attributes, or drop them with each write.
recipe beside_updating_strangers() {
    recipe made = swarm();
    made.most_items = 1;
    made.beside = strangers::update;
    made.longest = 40s;
    return made;
}
recipe beside_putting_strangers() {
    recipe made = beside_updating_strangers();
    made.beside = strangers::put;
    made.locks = false;
    made.callers.remove = 0;  // a stranger's item that is removed and made again may have a version twice
    return made;
}

/// Several items in one write, or none.
recipe together() {
    recipe made = swarm();
    made.most_items = 3;
    made.callers = {.save = 2, .remove = 1, .update = 2, .blind = 1, .joint = 10};
    made.weather.always = {request_fault_kind::answer_lost, request_fault_kind::transaction_conflict,
                           request_fault_kind::partial_batch};
    made.longest = 40s;
    return made;
}

/// ... beside actions that the library knows nothing of, and conditions of the callers' own.
recipe beside_an_outbox() {
    recipe made = together();
    made.foreign_actions = true;
    made.weather.always = {request_fault_kind::answer_lost, request_fault_kind::late};
    made.locks = false;
    return made;
}

/// A table that keeps versions under other names and by other steps than those who write beside our callers.
recipe other_names() {
    recipe made = swarm();
    made.most_items = 2;
    made.kept = {.version = "rev", .stamp = "mark", .lock_prefix = "held", .step = 10};
    made.beside = strangers::update;
    made.weather.always = {request_fault_kind::answer_lost, request_fault_kind::reordered};
    made.longest = 40s;
    return made;
}

/// Time enough for TTL to remove tombstones.
recipe tombstones_expire() {
    recipe made = short_lives();
    made.hours_go_by = true;
    made.mishaps = {wall_step, pause, crash_new_identity};
    made.shortest = 10s;
    made.longest = 15s;
    return made;
}

template <recipe (*Recipe)()>
void play(world_run& run) {
    version_world(run, Recipe()).play();
}

const contribution version_worlds{{
    .name = "versioned",
    .scenarios = {{"swarm", 5, play<swarm>},
                  {"short-lives", 3, play<short_lives>},
                  {"erased", 3, play<erased>},
                  {"contention", 2, play<contention>},
                  {"blind-writers", 3, play<blind_writers>},
                  {"unchecked", 2, play<unchecked>},
                  {"without-stamps", 2, play<without_stamps>},
                  {"beside-updating-strangers", 2, play<beside_updating_strangers>},
                  {"beside-putting-strangers", 1, play<beside_putting_strangers>},
                  {"together", 2, play<together>},
                  {"beside-an-outbox", 2, play<beside_an_outbox>},
                  {"other-names", 1, play<other_names>},
                  {"tombstones-expire", 1, play<tombstones_expire>}},
    .probes = {"written",
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
               "removed whatever was there"},
}};

}  // namespace

}  // namespace dynalease::simulation::versions
