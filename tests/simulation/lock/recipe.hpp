// What a kind of world is made of.
#pragma once

#include "simulation/framework/director.hpp"
#include "simulation/framework/weather.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dynalease::simulation::locks {

using namespace std::chrono_literals;

struct recipe {
    std::size_t fewest_nodes = 2;
    std::size_t most_nodes = 4;
    std::size_t most_users = 3;  ///< of locks, in one process
    std::size_t most_locks = 2;
    std::vector<std::chrono::milliseconds> leases{4s, 6s, 10s, 20s};
    /// What the sessions are told (`clock_drift_ppm`), and what the clocks really do.
    std::int64_t drift_ppm = 1000;
    std::chrono::milliseconds longest_hold = 3s;
    std::chrono::milliseconds longest_rest = 4s;
    /// Of one in so many attempts the caller changes its mind.
    std::uint64_t cancels = 5;
    /// The safety phase: faults are on.
    std::chrono::seconds shortest{20};
    std::chrono::seconds longest{70};
    std::chrono::milliseconds wall_error = 4min;
    weather_options weather{};
    std::vector<mishap> mishaps{};
    double mishap_presence = 0.4;
    clock::duration mishap_interval = 12s;
    clock::duration longest_mishap = 25s;
    /// Clocks stop, rows are lost or edited: P1 cannot be promised, the fence is.
    bool breaks_assumptions = false;
    /// Days go by in the middle, in which TTL removes what is free, while wall clocks are wrong by hours.
    bool days_go_by = false;
};

}  // namespace dynalease::simulation::locks
