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

class process;

class version_world final : public played_world {
public:
    /// @param kept null, or where all that is checked is written down.
    version_world(world_run& run, const scenario_config& config, history* kept = nullptr);
    ~version_world() override;

    /// Faults, then calm, then the end. @throws violation
    void play();

    // ---- for its parts ----
    const scenario_config& made_of() const noexcept { return config_; }
    std::size_t items() const noexcept { return item_count_; }
    versions::item_history& item_history() noexcept { return item_history_; }

private:
    const std::optional<std::string>& broken_promise() const override { return item_history_.checked().broken(); }
    void hear(const std::string& node, event happened);
    void arm_strangers();
    void write_as_stranger(std::size_t index);
    void write_aside(std::size_t index);
    void lock_for_a_while(std::size_t index);
    void arm_stock();
    void let_hours_go_by();
    void serve_everyone();

    const scenario_config config_;
    history* const kept_;
    const std::size_t node_count_;
    const std::size_t item_count_;
    versions::item_history item_history_;
    std::vector<std::unique_ptr<process>> processes_;
};

}  // namespace dynalease::simulation::versions
