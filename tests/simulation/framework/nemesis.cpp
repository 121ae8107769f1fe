// Drawing faults and carrying them out.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/nemesis.hpp"

#include "simulation/framework/scenario_config.hpp"

#include <array>
#include <utility>

namespace dynalease::simulation {

using namespace std::chrono_literals;

namespace {

struct fault_description {
    std::string_view name;
    const char* swarm_label;
};
constexpr std::array<fault_description, static_cast<std::size_t>(nemesis_fault::count)> nemesis_fault_descriptions{{
    {"pause", "swarm: pause"},
    {"suspend", "swarm: suspend"},
    {"freeze", "swarm: freeze"},
    {"crash_new_identity", "swarm: crash_new_identity"},
    {"crash_same_owner", "swarm: crash_same_owner"},
    {"loop_blocked", "swarm: loop_blocked"},
    {"drift_change", "swarm: drift_change"},
    {"wall_step", "swarm: wall_step"},
    {"partition", "swarm: partition"},
    {"one_way_partition", "swarm: one_way_partition"},
    {"outage", "swarm: outage"},
    {"throttle_storm", "swarm: throttle_storm"},
    {"unreachable", "swarm: unreachable"},
    {"no_names", "swarm: no_names"},
    {"no_connection", "swarm: no_connection"},
    {"no_credentials", "swarm: no_credentials"},
    {"table_recreated", "swarm: table_recreated"},
    {"table_restored", "swarm: table_restored"},
    {"operator_edit", "swarm: operator_edit"},
    {"operator_delete", "swarm: operator_delete"},
    {"newer_version", "swarm: newer_version"},
    {"operator_revoke", "swarm: operator_revoke"},
}};

const fault_description& describe(nemesis_fault kind) {
    return nemesis_fault_descriptions[static_cast<std::size_t>(kind)];
}

}  // namespace

std::string_view name_of(nemesis_fault kind) {
    return describe(kind).name;
}

nemesis::nemesis(world_run& run, testing::world& where, network_faults& network, const scenario_config& made_of,
                 std::function<void(nemesis_fault)> to_store)
    : run_(run),
      world_(where),
      network_(network),
      options_(made_of.nemesis),
      drift_ppm_(made_of.drift_ppm),
      wall_error_(made_of.wall_error),
      to_store_(std::move(to_store)) {
    for (const auto kind : options_.faults) {
        if (run.choices.chance(describe(kind).swarm_label, options_.presence)) present_.push_back(kind);
    }
}

void nemesis::begin() {
    troubled_.assign(actors_.size(), false);
    if (!present_.empty()) next();
}

void nemesis::calm() {
    calm_ = true;
    crashes_.clear();
    for (std::size_t i = 0; i < actors_.size(); ++i) {
        if (troubled_[i]) resume(i);
    }
}

void nemesis::next() {
    const auto limit = static_cast<std::uint64_t>(
        std::chrono::milliseconds(std::chrono::duration_cast<std::chrono::milliseconds>(options_.interval * 2))
            .count());
    const std::chrono::milliseconds wait(run_.choices.between("next mishap", 1, limit));
    world_.scheduler().add_timer(world_.now() + wait, [this] {
        if (calm_) return;
        const auto kind = present_[run_.choices.choose("which mishap", present_.size())];
        strike(kind, run_.choices.choose("to which node", actors_.size()));
        next();
    });
}

clock::duration nemesis::draw_time() {
    const auto longest = static_cast<std::uint64_t>(options_.longest / 1ms);
    const auto part = static_cast<double>(run_.choices.choose("how long", longest)) / static_cast<double>(longest);
    return 1ms + std::chrono::duration_cast<clock::duration>(part * part * options_.longest);
}

void nemesis::tell(std::size_t index, nemesis_fault kind, clock::duration time) {
    run_.coverage.fault(describe(kind).name);
    run_.trace.add(world_.now(), actors_[index].name, static_cast<std::uint64_t>(kind), [&] {
        auto text = std::string(describe(kind).name);
        text.front() = static_cast<char>(text.front() - 'a' + 'A');
        return text + " for " + std::to_string(time / 1ms) + " ms";
    });
}

void nemesis::stop(std::size_t index, clock::duration time, bool frozen, bool own_code) {
    auto& machine = actors_[index].machine;
    troubled_[index] = true;
    if (frozen) {
        machine.freeze();
    } else {
        machine.pause();
    }
    world_.scheduler().add_timer(world_.now() + time, [this, index, own_code] {
        auto& stopped = actors_[index];
        if (!troubled_[index] || stopped.machine.crashed()) return;
        if (own_code) stopped.unblocked();
        resume(index);
    });
}

void nemesis::resume(std::size_t index) {
    troubled_[index] = false;
    if (actors_[index].machine.crashed()) return;
    actors_[index].machine.resume();
    actors_[index].resumed();
}

void nemesis::set_drift(std::size_t index) {
    const auto range = static_cast<std::uint64_t>(drift_ppm_);
    const auto drawn = run_.choices.choose("drift", 2 * range + 1);
    // The ends of the range more often than what lies between: that is where it hurts.
    const auto end = run_.choices.choose("drift at its end", 4);
    auto ppm = static_cast<std::int64_t>(drawn) - drift_ppm_;
    if (end == 1) ppm = drift_ppm_;
    if (end == 2) ppm = -drift_ppm_;
    actors_[index].machine.clock().set_drift(ppm);
}

void nemesis::before_step() {
    for (std::size_t i = 0; i < crashes_.size(); ++i) {
        if (crashes_[i].steps-- != 0) continue;
        const auto due = crashes_[i];
        crashes_.erase(crashes_.begin() + static_cast<std::ptrdiff_t>(i));
        troubled_[due.actor] = false;
        if (!actors_[due.actor].machine.crashed()) actors_[due.actor].crash(due.same_owner, draw_time());
        return;
    }
}

void nemesis::strike(nemesis_fault kind, std::size_t index) {
    auto& struck = actors_[index];
    if (struck.machine.crashed() || struck.machine.paused()) return;
    const auto time = draw_time();
    const auto end = world_.now() + time;
    tell(index, kind, time);
    switch (kind) {
        case nemesis_fault::pause:
        case nemesis_fault::suspend:
            return stop(index, time, false, false);
        case nemesis_fault::freeze:
            return stop(index, time, true, false);
        case nemesis_fault::loop_blocked:
            return stop(index, time, false, true);
        case nemesis_fault::crash_new_identity:
        case nemesis_fault::crash_same_owner: {
            const auto steps = run_.choices.choose("crash after steps", 40);
            crashes_.push_back({index, kind == nemesis_fault::crash_same_owner, steps});
            return;
        }
        case nemesis_fault::drift_change:
            return set_drift(index);
        case nemesis_fault::wall_step: {
            const auto range = static_cast<std::uint64_t>(wall_error_.count());
            const auto step = static_cast<std::int64_t>(run_.choices.choose("wall step", 2 * range + 1));
            // Around the true time, so that errors do not add up.
            const auto wanted = world_.store_clock().wall() + std::chrono::milliseconds(step) - wall_error_;
            return struck.machine.clock().step_wall(wanted - struck.machine.clock().wall());
        }
        case nemesis_fault::partition:
            return network_.close(window::to_store, index, end);
        case nemesis_fault::one_way_partition: {
            const auto answers = run_.choices.choose("which way", 2);
            return network_.close(answers == 1 ? window::from_store : window::to_store, index, end);
        }
        case nemesis_fault::outage:
            return network_.close_for_all(window::outage, end);
        case nemesis_fault::throttle_storm:
            return network_.close_for_all(window::throttle_storm, end);
        case nemesis_fault::unreachable:
            return network_.close(window::unreachable, index, end);
        case nemesis_fault::no_names:
            return network_.close_for_all(window::no_names, end);
        case nemesis_fault::no_connection:
            return network_.close(window::no_connection, index, end);
        case nemesis_fault::no_credentials:
            return network_.close(window::no_credentials, index, end);
        default:
            return to_store_(kind);
    }
}

}  // namespace dynalease::simulation
