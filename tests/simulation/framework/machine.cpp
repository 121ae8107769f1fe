// Drawing a machine.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/machine.hpp"

#include "simulation/framework/mutant.hpp"

namespace dynalease::simulation {

namespace {

void put_mutant_in_front(testing::node_options& options) {
    const auto* mistake = active_mutant();
    if (mistake && mistake->wrap) options.in_front = mistake->wrap;
}

}  // namespace

std::uint64_t draw_seed(testing::tape& choices) {
    constexpr std::uint64_t image = 1;
    const auto own = choices.choose("seed of a node", ~std::uint64_t{0});
    return choices.choose("copy of an image", 6) == 1 ? image : own;
}

testing::node_options draw_machine(testing::tape& choices, std::int64_t drift_ppm,
                                   std::chrono::milliseconds wall_error) {
    testing::node_options options;
    options.seed = draw_seed(choices);
    if (choices.choose("dispatch of a node", 2) == 1) options.dispatching = testing::dispatching::runs_inline;
    options.clock.offset = std::chrono::hours(choices.choose("uptime of a node", 1000));
    const auto range = static_cast<std::uint64_t>(drift_ppm);
    const auto end = choices.choose("drift at its end", 4);
    options.clock.drift_ppm = static_cast<std::int64_t>(choices.choose("drift", 2 * range + 1)) - drift_ppm;
    if (end == 1) options.clock.drift_ppm = drift_ppm;
    if (end == 2) options.clock.drift_ppm = -drift_ppm;
    const auto error = static_cast<std::uint64_t>(wall_error.count());
    options.clock.wall +=
        std::chrono::milliseconds(static_cast<std::int64_t>(choices.choose("wall", 2 * error + 1))) - wall_error;
    put_mutant_in_front(options);
    return options;
}

testing::node_options machine_on_stage(std::uint64_t seed, std::int64_t drift_ppm) {
    testing::node_options options{.seed = seed, .clock = {.offset = std::chrono::hours(seed), .drift_ppm = drift_ppm}};
    put_mutant_in_front(options);
    return options;
}

}  // namespace dynalease::simulation
