// A world of processes that write the same items, and everything that is checked while they have their way.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/played_world.hpp"
#include "simulation/versioned/item_history.hpp"
#include "simulation/versioned/scenario_config.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::simulation::versions {

class site;

class version_world final : public played_world {
public:
    /// @param kept null, or where all that is judged is written down.
    version_world(world_run& run, const recipe& ingredients, history* kept = nullptr);
    ~version_world() override;

    /// Faults, then calm, then the end. @throws violation
    void play();

    // ---- for its parts ----
    const recipe& made_of() const noexcept { return recipe_; }
    std::size_t items() const noexcept { return item_count_; }
    versions::ledger& ledger() noexcept { return ledger_; }

private:
    const std::optional<std::string>& judged_broken() const override { return ledger_.judged().broken(); }
    void hear(const std::string& node, event happened);
    void arm_strangers();
    void write_as_stranger(std::size_t index);
    void lock_for_a_while(std::size_t index);
    void arm_stock();
    void let_hours_go_by();
    void serve_everyone();

    const recipe recipe_;
    history* const kept_;
    const std::size_t node_count_;
    const std::size_t item_count_;
    versions::ledger ledger_;
    std::vector<std::unique_ptr<site>> sites_;
};

}  // namespace dynalease::simulation::versions
