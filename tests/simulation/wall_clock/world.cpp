// The phases of a world, and the steps between which everything is checked.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/wall_clock/world.hpp"

#include "simulation/framework/service_owed.hpp"
#include "simulation/wall_clock/process.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::simulation::wall_clocks {

namespace {

/// A wall clock shows whole milliseconds, and is set right twice a second.
constexpr std::chrono::milliseconds unseen_error{3};

/// Two have drawn the same moment: the world ends without a verdict. One in ten thousand does.
struct coincidence {};

clock_bounds draw_bounds(testing::tape& choices, const scenario_config& made_of) {
    const auto timeout = made_of.timeouts[choices.choose("timeout", made_of.timeouts.size())];
    const auto part = made_of.skew_parts[choices.choose("skew in the timeout", made_of.skew_parts.size())];
    return {.timeout = timeout, .skew = timeout / part};
}

scenario_config within(scenario_config made_of, clock_bounds bounds) {
    made_of.wall_error = bounds.skew - unseen_error;
    return made_of;
}

}  // namespace

clock_world::clock_world(world_run& run, const scenario_config& config, history* kept)
    : played_world(run),
      bounds_(draw_bounds(run.choices, config)),
      config_(within(config, bounds_)),
      kept_(kept),
      node_count_(run.choices.between("nodes", config_.fewest_nodes, config_.most_nodes)),
      item_count_(run.choices.between("items", 1, config_.most_items)),
      // The last one is never there.
      checker_(item_count_ + 1, bounds_) {
    make_items();
    set_up(config_, node_count_);
    for (std::size_t i = 0; i < node_count_; ++i) add(*processes_.emplace_back(std::make_unique<process>(*this, i)));
    keep_clocks();
}

clock_world::~clock_world() = default;

wall_clock_options clock_world::options() const {
    return {.timeout = bounds_.timeout,
            .skew = bounds_.skew,
            .clock_drift_ppm = static_cast<std::uint32_t>(config_.drift_ppm),
            .longest_poll_interval = 500ms};
}

void clock_world::keep_clocks() {
    for (const auto& each : processes_) {
        auto& clock = each->machine().clock();
        const auto error = clock.wall() - simulated().store_clock().wall();
        const auto allowed = std::clamp(error, -config_.wall_error, config_.wall_error);
        if (allowed != error) clock.step_wall(allowed - error);
    }
    simulated().scheduler().add_timer(now() + 500ms, [this] {
        if (!over_) keep_clocks();
    });
}

void clock_world::note_claim(std::string item_and_moment) {
    if (!claims_.insert(std::move(item_and_moment)).second) same_microsecond_ = true;
}

void clock_world::check_step() {
    if (same_microsecond_) throw coincidence();
    for (const auto& each : processes_) {
        for (const auto handle : each->believers()) {
            if (!checker_.stands(handle)) fail("W1", each->name() + " may believe that it has an item, and has not");
        }
    }
}

// ---- phases ------------------------------------------------------------------------------------------------

void clock_world::play() {
    try {
        live();
    } catch (const coincidence&) {
        run().coverage.hit("claimed in the same microsecond");
    }
    run().coverage.lived += static_cast<std::int64_t>(item_count_) * now().time_since_epoch();
}

void clock_world::live() {
    begin_faults();
    live_through_faults(config_);
    begin_calm();
    stop_everyone("R1");
    check_orphans();
    go_on_living();
    for (const auto& each : processes_) each->reopen();
    serve_everyone();
    stop_everyone("R1");
    check_orphans();
    over_ = true;
    close_programs();
    expect_stillness();
}

void clock_world::check_orphans() {
    // Time for what goes on in the background: an attempt that has no answer, and the next.
    go_on_until(now() + std::chrono::seconds(3));
    const moment wall = simulated().store_clock().wall();
    for (std::size_t i = 0; i < item_count_; ++i) {
        const auto locker = checker_.locker(i, wall);
        for (const auto& each : processes_) {
            if (each->lives(locker)) fail("W6", locker + " locks an item that nobody there has");
        }
    }
    throw_broken();
}

void clock_world::serve_everyone() {
    service_owed<user> owed;
    for (const auto& each : processes_) {
        for (const auto& someone : each->users()) {
            if (someone->target() < item_count_) owed.add(someone);
        }
    }
    // What is left of the dead, and everybody else's turns; there is no order among those who wait.
    const auto limit = now() + 2 * bounds_.timeout + std::chrono::minutes(3);
    if (!go_on_while([&] { return owed.to_whom() != nullptr; }, limit)) {
        fail("W7", "a user of " + owed.to_whom()->at().name() + " is never served though all is well");
    }
    throw_broken();
}

}  // namespace dynalease::simulation::wall_clocks
