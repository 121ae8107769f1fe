// The phases of a world, and the steps between which everything is checked.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/versioned/world.hpp"

#include "simulation/versioned/process.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::simulation::versions {

version_world::version_world(world_run& run, const recipe& ingredients, history* kept)
    : played_world(run),
      recipe_(ingredients),
      kept_(kept),
      node_count_(run.choices.between("nodes", recipe_.fewest_nodes, recipe_.most_nodes)),
      item_count_(run.choices.between("items", 1, recipe_.most_items)),
      ledger_(
          simulated(), item_count_, [this](const auto& node, event happened) { hear(node, std::move(happened)); },
          recipe_.kept) {
    set_up(recipe_, node_count_);
    for (std::size_t i = 0; i < node_count_; ++i) add(*sites_.emplace_back(std::make_unique<site>(*this, i)));
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
    live_through_faults(recipe_);
    if (recipe_.hours_go_by) {
        let_hours_go_by();
        go_on_until(now() + recipe_.shortest);
    }
    begin_calm();
    serve_everyone();
    stop_everyone("R1");
    let_last_copies_land();
    ledger_.conclude();
    expect_stillness();
    run().census.lived += static_cast<std::int64_t>(item_count_) * now().time_since_epoch();
}

void version_world::serve_everyone() {
    const auto unserved = [&] {
        return std::any_of(sites_.begin(), sites_.end(),
                           [](const auto& each) { return each->user() != nullptr && !each->user()->served(); });
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
        const auto before = ledger_.now(i);
        ledger_.look_again(i);
        if (ledger_.now(i) != before) run().census.fault("ttl_deletion");
    }
    go_on_living();
    arm_strangers();
    arm_stock();
    for (const auto& each : sites_) each->reopen();
}

}  // namespace dynalease::simulation::versions
