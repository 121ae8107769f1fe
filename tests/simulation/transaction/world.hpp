// A world in which processes run transactions on the same items.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/played_world.hpp"
#include "simulation/transaction/item_history.hpp"
#include "simulation/transaction/scenario_config.hpp"
#include "simulation/transaction/wish.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::simulation::transfers {

class process;

/// An id that somebody has run something under.
struct known_id {
    std::string id;
    bool drawn = false;
};

class transfer_world final : public played_world {
public:
    /// @param kept null, or where all that is checked is written down.
    transfer_world(world_run& run, const scenario_config& config, history* kept = nullptr);
    ~transfer_world() override;

    /// Faults, then calm, then the end. @throws violation
    void play();

    // ---- for its parts ----
    const scenario_config& made_of() const noexcept { return config_; }
    transfers::item_history& item_history() noexcept { return item_history_; }
    /// The last ones that somebody may ask about, or ask for again.
    const std::deque<known_id>& ids() const noexcept { return ids_; }
    const std::deque<wish>& shared() const noexcept { return shared_; }
    void know(known_id id);
    void share(const wish& what);

private:
    const std::optional<std::string>& broken_promise() const override { return item_history_.checked().broken(); }
    void hear(const std::string& node, event happened);
    void serve_everyone();
    void tidy_up();

    const scenario_config config_;
    history* const kept_;
    const std::size_t node_count_;
    transfers::item_history item_history_;
    std::deque<known_id> ids_;
    std::deque<wish> shared_;
    std::vector<std::unique_ptr<process>> processes_;
};

}  // namespace dynalease::simulation::transfers
