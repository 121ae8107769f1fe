// What a primitive brings to the simulator: its worlds, the rare paths they must meet, its mutants, its fault points.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/mutant.hpp"
#include "simulation/framework/world_run.hpp"

#include <ostream>
#include <span>
#include <string_view>
#include <vector>

namespace dynalease::simulation {

/// One kind of world. A seed is spent on one of them, chosen by weight.
struct scenario {
    std::string_view name;
    unsigned weight;
    /// Builds a world from `run`'s choices and lets it go by. @throws violation when a promise is broken.
    void (*play)(world_run& run);
};

/// What one operation after the other, disturbed at each point, has shown.
struct fault_points_result {
    std::uint64_t points = 0;
    std::uint64_t violations = 0;
};

/// Constant data, registered by each part from its own file, so that parts can be linked or left out.
struct primitive {
    std::string_view name;  ///< "lock"
    std::vector<scenario> scenarios{};
    /// A campaign of a thousand worlds or more in which one of these is never hit has proved nothing, and fails.
    std::vector<std::string_view> coverage_points{};
    std::vector<mutant> mutants{};
    fault_points_result (*fault_points)(std::ostream& lines) = nullptr;
};

/// Namespace-scope constants of this type add to the primitive of their name:
/// `const contribution worlds{{.name = "lock", .scenarios = {...}, .coverage_points = {...}}};`
struct contribution {
    explicit contribution(primitive part);
};

/// By name; null if there is none.
const primitive* find_primitive(std::string_view name);
std::vector<std::string_view> primitive_names();

}  // namespace dynalease::simulation
