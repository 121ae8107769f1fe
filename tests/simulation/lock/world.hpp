// A world of processes that want the same locks, and everything that is checked while they have their way.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/played_world.hpp"
#include "simulation/framework/protected_data.hpp"
#include "simulation/framework/table_faults.hpp"
#include "simulation/lock/checker.hpp"
#include "simulation/lock/history.hpp"
#include "simulation/lock/scenario_config.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynalease::simulation::locks {

class process;

class lock_world final : public played_world {
public:
    /// @param kept null, or where all that is checked is written down.
    lock_world(world_run& run, const scenario_config& config, history* kept = nullptr);
    ~lock_world() override;

    /// Faults, then calm, then the end. @throws violation
    void play();

    // ---- for its parts ----
    const scenario_config& made_of() const noexcept { return config_; }
    std::size_t locks() const noexcept { return lock_count_; }
    outside_resource& resource(std::size_t lock) { return resources_[lock]; }
    std::chrono::milliseconds lease() const noexcept { return lease_; }

    /// Checks what happened, and tells it.
    void tell(const std::string& node, decltype(event::what) what);
    /// The row of a lock as the store has it now.
    row_state row_of(std::size_t lock);
    /// A write of its own session ended that grant.
    bool given_back(std::size_t lock, std::int64_t token) const { return checker_.given_back(lock, token); }
    bool over(const std::string& session) const { return checker_.over(session); }
    time_point last_beat(const std::string& session) const { return checker_.last_beat(session); }
    /// From the last heartbeat of a dead holder to its successor, at the latest.
    std::chrono::nanoseconds take_over_bound() const;
    static std::string lock_name(std::size_t lock) { return "x" + std::to_string(lock); }
    static std::size_t number_of(std::string_view name) { return static_cast<std::size_t>(name.at(1) - '0'); }

private:
    void check_step() override;
    const std::optional<std::string>& broken_promise() const override { return checker_.broken(); }
    void serve_everyone();
    void crash_a_holder();
    void check_orphans();
    void note_counters();
    void let_days_go_by();
    void disturb_store(nemesis_fault kind);
    bool free_by_hand(const item_key& key);
    void tell_replaced(std::size_t lock);

    const scenario_config config_;
    history* const kept_;
    const std::size_t node_count_;
    const std::size_t lock_count_;
    const std::chrono::milliseconds lease_;
    checker checker_;
    table_faults table_faults_;
    std::vector<outside_resource> resources_;
    std::vector<std::unique_ptr<process>> processes_;
};

}  // namespace dynalease::simulation::locks
