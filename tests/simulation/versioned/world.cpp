// The phases of a world, and the steps between which everything is checked.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/versioned/world.hpp"

#include "simulation/versioned/process.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::simulation::versions {

version_world::version_world(world_run& run, const scenario_config& config, history* kept)
    : played_world(run),
      config_(config),
      kept_(kept),
      node_count_(run.choices.between("nodes", config_.fewest_nodes, config_.most_nodes)),
      item_count_(run.choices.between("items", 1, config_.most_items)),
      item_history_(
          simulated(), item_count_, [this](const auto& node, event happened) { hear(node, std::move(happened)); },
          config_.kept) {
    set_up(config_, node_count_);
    for (std::size_t i = 0; i < node_count_; ++i) add(*processes_.emplace_back(std::make_unique<process>(*this, i)));
}

version_world::~version_world() = default;

void version_world::hear(const std::string& node, event happened) {
    run().trace.add(now(), node, happened.what.index(), [&] { return text_of(happened); });
    if (kept_) kept_->push_back(std::move(happened));
}

// ---- phases ------------------------------------------------------------------------------------------------

void version_world::play() {
    begin_faults();
    arm_strangers();
    arm_stock();
    live_through_faults(config_);
    if (config_.hours_go_by) {
        let_hours_go_by();
        go_on_until(now() + config_.shortest);
    }
    begin_calm();
    serve_everyone();
    stop_everyone("R1");
    let_last_copies_land();
    item_history_.conclude();
    expect_stillness();
    run().coverage.lived += static_cast<std::int64_t>(item_count_) * now().time_since_epoch();
}

void version_world::serve_everyone() {
    const auto unserved = [&] {
        return std::any_of(processes_.begin(), processes_.end(), [](const auto& each) {
            return each->only_user() != nullptr && !each->only_user()->served();
        });
    };
    // Waits of before the calm, locks of others, and everybody else's turns.
    if (!go_on_while(unserved, now() + std::chrono::seconds(90))) {
        fail("O3", "an update never succeeds though all is well");
    }
    throw_broken();
}

void version_world::let_hours_go_by() {
    end_faults();
    stop_everyone("R1");
    let_last_copies_land();
    simulated().scheduler().advance(std::chrono::hours(choices().between("hours go by", 1, 12)));
    for (std::size_t i = 0; i < item_count_; ++i) {
        const auto before = item_history_.now(i);
        item_history_.look_again(i);
        if (item_history_.now(i) != before) run().coverage.fault("ttl_deletion");
    }
    go_on_living();
    arm_strangers();
    arm_stock();
    for (const auto& each : processes_) each->reopen();
}

}  // namespace dynalease::simulation::versions
