// A world of processes that lock the same items by their wall clocks, some of them without the library, and everything
// that is checked meanwhile.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/played_world.hpp"
#include "simulation/wall_clock/checker.hpp"
#include "simulation/wall_clock/history.hpp"
#include "simulation/wall_clock/scenario_config.hpp"

#include <dynalease/wall_clock_lock.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dynalease::simulation::wall_clocks {

class process;

inline constexpr const char* table = "tills";

class clock_world final : public played_world {
public:
    /// @param kept null, or where all that is checked is written down.
    clock_world(world_run& run, const scenario_config& config, history* kept = nullptr);
    ~clock_world() override;

    /// Faults, then calm, then the end. @throws violation
    void play();

    // ---- for its parts ----
    const scenario_config& made_of() const noexcept { return config_; }
    clock_bounds bounds() const noexcept { return bounds_; }
    std::size_t items() const noexcept { return item_count_; }
    wall_clock_options options() const;
    static item_key key_of(std::size_t index);
    /// Which of the items it is; empty: none.
    static std::optional<std::size_t> item_in(const item_key& key);

    void tell(const std::string& node, decltype(event::what) what);
    /// A request claims an item with a moment. Nothing tells two apart that claim it with the same one.
    void note_claim(std::string item_and_moment);
    /// A request has been carried out on that item: tells what stands there now.
    void tell_written(const std::string& node, written what);

private:
    void live();
    void check_step() override;
    const std::optional<std::string>& broken_promise() const override { return checker_.broken(); }
    void make_items();
    /// Somebody sets the wall clocks right, before they are off by more than is promised.
    void keep_clocks();
    void check_orphans();
    void serve_everyone();
    item_state stored(std::size_t index);

    const clock_bounds bounds_;
    const scenario_config config_;
    history* const kept_;
    const std::size_t node_count_;
    const std::size_t item_count_;
    checker checker_;
    std::vector<std::unique_ptr<process>> processes_;
    std::set<std::string> claims_;
    bool same_microsecond_ = false;
    bool over_ = false;
};

}  // namespace dynalease::simulation::wall_clocks
