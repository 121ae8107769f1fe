// Directed scenarios: small worlds that each lead straight to one rule, for mistakes that chance alone finds late.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/primitive.hpp"
#include "simulation/framework/stage.hpp"
#include "simulation/framework/world_run.hpp"

#include <chrono>
#include <memory>

namespace dynalease::simulation {

/// What the network does to a request for which a scenario has no other plan.
inline const testing::fault on_its_way{.before = std::chrono::milliseconds(2), .after = std::chrono::milliseconds(2)};

template <class Stage, class... Run>
void play_course(void (*course)(Stage& on, Run&... run), world_run& run) {
    const auto on = std::make_unique<Stage>();
    if constexpr (sizeof...(Run) == 0) {
        course(*on);
    } else {
        course(*on, run);
    }
    on->let_requests_pass();
    if (on->broken().empty()) on->conclude();
    if (!on->broken().empty()) throw violation(on->broken());
}

/// For a table of scenarios. @tparam Course a function of a stage, and of the run if chance has a part in it
template <auto Course>
void play_directed(world_run& run) {
    play_course(Course, run);
}

}  // namespace dynalease::simulation
