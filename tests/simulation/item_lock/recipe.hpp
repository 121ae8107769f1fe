// What a kind of world is made of.
#pragma once

#include "simulation/framework/director.hpp"
#include "simulation/framework/weather.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dynalease::simulation::item_locks {

using namespace std::chrono_literals;

struct recipe {
    std::size_t fewest_nodes = 2;
    std::size_t most_nodes = 4;
    std::size_t most_users = 3;  ///< in one process
    std::size_t most_items = 2;
    std::vector<std::chrono::milliseconds> leases{4s, 6s, 10s};
    /// One user in so many is an optimistic saver, who knows of no locks.
    std::uint64_t savers = 4;
    /// One acquisition in so many is a reader's.
    std::uint64_t readers = 3;
    std::size_t most_readers = 64;
    std::chrono::milliseconds longest_hold = 1500ms;
    std::chrono::milliseconds longest_rest = 2s;
    /// Of one in so many calls the caller changes its mind.
    std::uint64_t cancels = 6;
    /// Items are removed and made anew by somebody who knows of no locks.
    bool reborn = false;
    std::chrono::seconds shortest{15};
    std::chrono::seconds longest{35};
    std::int64_t drift_ppm = 1000;
    std::chrono::milliseconds wall_error = 4min;
    weather_options weather{};
    std::vector<mishap> mishaps{};
    double mishap_presence = 0.4;
    clock::duration mishap_interval = 12s;
    clock::duration longest_mishap = 20s;
};

}  // namespace dynalease::simulation::item_locks
