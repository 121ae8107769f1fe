// What befalls nodes, clocks, ways and the store in one world, and when.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/network_faults.hpp"
#include "simulation/framework/world_run.hpp"

#include <dynalease/testing/node.hpp>
#include <dynalease/testing/world.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dynalease::simulation {

/// Together with the faults of requests these are the simulated kinds. Not among them: a clone of a running program,
/// for a coroutine cannot be copied, only of one that has not begun (see `draw_seed`); and for primitives that send no
/// batches, the partial batch.
enum class nemesis_fault {
    pause,
    suspend,
    freeze,
    crash_new_identity,
    crash_same_owner,
    loop_blocked,
    drift_change,
    wall_step,
    partition,
    one_way_partition,
    outage,
    throttle_storm,
    unreachable,
    no_names,
    no_connection,
    no_credentials,
    table_recreated,
    table_restored,
    operator_edit,
    operator_delete,
    newer_version,
    operator_revoke,
    count,
};
std::string_view name_of(nemesis_fault kind);

/// Under which everything that a session's guards promise must hold. Clocks that stop and rows that are lost are not.
inline const std::vector<nemesis_fault> everything_promised{nemesis_fault::pause,
                                                            nemesis_fault::suspend,
                                                            nemesis_fault::crash_new_identity,
                                                            nemesis_fault::crash_same_owner,
                                                            nemesis_fault::loop_blocked,
                                                            nemesis_fault::drift_change,
                                                            nemesis_fault::wall_step,
                                                            nemesis_fault::partition,
                                                            nemesis_fault::one_way_partition,
                                                            nemesis_fault::outage,
                                                            nemesis_fault::throttle_storm,
                                                            nemesis_fault::unreachable,
                                                            nemesis_fault::no_names,
                                                            nemesis_fault::no_connection,
                                                            nemesis_fault::no_credentials};

/// For what holds no lease: clocks may stop, too.
inline const std::vector<nemesis_fault> everything_without_leases = [] {
    auto all = everything_promised;
    all.insert(all.begin() + 2, nemesis_fault::freeze);
    return all;
}();

/// A node as the nemesis sees it.
struct actor {
    std::string name;
    testing::node& machine;
    /// The program dies at this very step, and a new one begins after `down`.
    std::function<void(bool same_owner, clock::duration down)> crash;
    /// The program's own code has kept the loop busy, and now does what it does next, before any handler runs.
    std::function<void()> unblocked = [] {};
    /// Something kept it from running up to now.
    std::function<void()> resumed = [] {};
};

struct nemesis_options {
    std::vector<nemesis_fault> faults{};
    /// How likely each of them is to be met in a world at all.
    double presence = 0.4;
    /// From one to the next, on average.
    clock::duration interval = std::chrono::seconds(12);
    /// Pauses and windows last up to here.
    clock::duration longest = std::chrono::seconds(20);
};

struct scenario_config;

class nemesis {
public:
    /// @param to_store what those that concern the store do there
    nemesis(world_run& run, testing::world& where, network_faults& network, const scenario_config& made_of,
            std::function<void(nemesis_fault)> to_store);

    /// Called for every actor before the first `begin`.
    void add(actor added) { actors_.push_back(std::move(added)); }
    void begin();
    /// No fault from now on, and the end of those that last.
    void calm();
    /// The loop of the world asks before each step: crashes fall between any two handlers.
    void before_step();
    /// Something is wrong with the node at present: nothing is to be expected of it.
    bool troubled(std::size_t index) const { return troubled_[index]; }

private:
    struct due_crash {
        std::size_t actor;
        bool same_owner;
        std::uint64_t steps;
    };

    void next();
    void resume(std::size_t index);
    void strike(nemesis_fault kind, std::size_t index);
    void stop(std::size_t index, clock::duration time, bool frozen, bool own_code);
    void set_drift(std::size_t index);
    void tell(std::size_t index, nemesis_fault kind, clock::duration time);
    clock::duration draw_time();

    world_run& run_;
    testing::world& world_;
    network_faults& network_;
    const nemesis_options options_;
    const std::int64_t drift_ppm_;  ///< no clock runs faster or slower
    const std::chrono::milliseconds wall_error_;
    const std::function<void(nemesis_fault)> to_store_;
    std::vector<nemesis_fault> present_;
    std::vector<actor> actors_;
    std::vector<bool> troubled_;
    std::vector<due_crash> crashes_;
    bool calm_ = false;
};

}  // namespace dynalease::simulation
