// What is asked of the simulator.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string>

namespace dynalease::simulation {

struct command_line {
    std::string primitive{};
    std::uint64_t seeds = 1000;
    std::uint64_t first = 1;
    std::string mutant{};    ///< a name, or "all"
    std::string replay{};    ///< a seed, or the file of a recording
    std::string scenario{};  ///< only worlds of this kind
    bool shrink = true;
    bool fault_points = false;
    bool directed = false;  ///< the worlds that are made for one rule each, and drawn by no seed
    bool trace_hash = false;
    bool help = false;
};

/// @throws std::invalid_argument that says what is wrong.
command_line parse_command_line(int count, const char* const* arguments);

extern const char* const usage;

}  // namespace dynalease::simulation
