// Every operation of a primitive, disturbed at every point: each request fails in each way, and at each step the call
// is cancelled, its process crashes, or its handles go.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/primitive.hpp"
#include "simulation/framework/stage.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <ostream>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace dynalease::simulation {

/// A public operation on a stage of its primitive.
template <class Stage>
struct operation_on {
    using stage_type = Stage;

    std::string_view name;
    void (*prepare)(Stage& on);
    /// Begins it; what happens from here on is disturbed.
    void (*start)(Stage& on);
    /// It is watched for at least so long: heartbeats have no caller.
    std::chrono::milliseconds lasts{0};
};

/// The same, whatever the stage is.
struct any_operation {
    std::string_view name;
    std::function<std::unique_ptr<stage>()> set_up;
    std::function<void(stage&)> start;
    std::chrono::milliseconds lasts{0};
};

/// Prints a line for each operation, and one for each point at which something was broken.
fault_points_result play_fault_points(std::span<const any_operation> operations, std::ostream& lines);

/// For a contribution: the fault points of a table of operations.
template <auto& Operations>
fault_points_result fault_points_of(std::ostream& lines) {
    using own_stage = typename std::remove_cvref_t<decltype(Operations[0])>::stage_type;
    std::vector<any_operation> all;
    for (const auto& each : Operations) {
        const auto set_up = [prepare = each.prepare]() -> std::unique_ptr<stage> {
            auto on = std::make_unique<own_stage>();
            prepare(*on);
            return on;
        };
        const auto start = [begin = each.start](stage& on) { begin(static_cast<own_stage&>(on)); };
        all.push_back({each.name, set_up, start, each.lasts});
    }
    return play_fault_points(all, lines);
}

}  // namespace dynalease::simulation
