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

class site;

/// An id that somebody has run something under.
struct known_id {
    std::string id;
    bool drawn = false;
};

class transfer_world final : public played_world {
public:
    /// @param kept null, or where all that is judged is written down.
    transfer_world(world_run& run, const recipe& ingredients, history* kept = nullptr);
    ~transfer_world() override;

    /// Faults, then calm, then the end. @throws violation
    void play();

    // ---- for its parts ----
    const recipe& made_of() const noexcept { return recipe_; }
    transfers::ledger& ledger() noexcept { return ledger_; }
    /// The last ones that somebody may ask about, or ask for again.
    const std::deque<known_id>& ids() const noexcept { return ids_; }
    const std::deque<wish>& shared() const noexcept { return shared_; }
    void know(known_id id);
    void share(const wish& what);

private:
    const std::optional<std::string>& judged_broken() const override { return ledger_.judged().broken(); }
    void hear(const std::string& node, event happened);
    void serve_everyone();
    void tidy_up();

    const recipe recipe_;
    history* const kept_;
    const std::size_t node_count_;
    transfers::ledger ledger_;
    std::deque<known_id> ids_;
    std::deque<wish> shared_;
    std::vector<std::unique_ptr<site>> sites_;
};

}  // namespace dynalease::simulation::transfers
