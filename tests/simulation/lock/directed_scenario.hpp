// What the small worlds are made of that each lead straight to one rule.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/primitive.hpp"
#include "simulation/lock/stage.hpp"

#include <chrono>
#include <memory>
#include <utility>

namespace dynalease::simulation::mutants {

using namespace std::chrono_literals;
using stage = locks::enumeration_stage;

inline const testing::fault on_its_way{.before = 2ms, .after = 2ms};

inline auto keep(lock_guard& in) {
    return [&in](error_code, lock_guard got) { in = std::move(got); };
}

template <void (*Course)(stage& on, testing::tape& choices)>
void play(world_run& run) {
    const auto on = std::make_unique<stage>();
    Course(*on, run.choices);
    for (auto* who : {&on->a, &on->b, &on->c}) {
        if (!who->machine.crashed()) who->machine.network().set_plan({});
    }
    if (on->broken().empty()) on->conclude();
    if (!on->broken().empty()) throw violation(on->broken());
}

}  // namespace dynalease::simulation::mutants
