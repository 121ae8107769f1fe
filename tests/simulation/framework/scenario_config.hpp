// What every kind of world is made of; a primitive adds its own.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/demand.hpp"
#include "simulation/framework/nemesis.hpp"
#include "simulation/framework/network_faults.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace dynalease::simulation {

using namespace std::chrono_literals;

struct scenario_config {
    std::size_t fewest_nodes = 2;
    std::size_t most_nodes = 4;
    /// What the sessions are told (`clock_drift_ppm`), and what the clocks really do.
    std::int64_t drift_ppm = 1000;
    std::chrono::milliseconds wall_error = 4min;
    /// The safety phase: faults are on.
    std::chrono::seconds shortest{15};
    std::chrono::seconds longest{50};
    network_fault_options network{};
    nemesis_options nemesis{};
    demand_bounds demand{};
};

}  // namespace dynalease::simulation
