// A world of processes that enter the same queues, and everything that is checked while they have their way.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/played_world.hpp"
#include "simulation/framework/protected_data.hpp"
#include "simulation/framework/table_faults.hpp"
#include "simulation/queue/checker.hpp"
#include "simulation/queue/history.hpp"
#include "simulation/queue/scenario_config.hpp"

#include <dynalease/queue.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::simulation::queues {

class process;

/// Two queues for each entity, for different reasons: they share a partition, and must not meet.
struct queue_place {
    std::string entity;
    std::string reason;
    std::string partition() const { return "queue#" + entity; }
    std::string sort_key() const { return reason + '/'; }
};
queue_place place_of(std::size_t queue);

class queue_world final : public played_world {
public:
    /// @param kept null, or where all that is checked is written down.
    queue_world(world_run& run, const scenario_config& config, history* kept = nullptr);
    ~queue_world() override;

    /// Faults, then calm, then the end. @throws violation
    void play();

    // ---- for its parts ----
    const scenario_config& made_of() const noexcept { return config_; }
    const checker& checked() const noexcept { return checker_; }
    std::size_t queues() const noexcept { return queue_count_; }
    outside_resource& resource(std::size_t queue) { return resources_[queue]; }
    std::chrono::milliseconds lease() const noexcept { return lease_; }

    /// Checks what happened, and tells it.
    void tell(const std::string& node, decltype(event::what) what);
    /// The head of a queue as the store has it now.
    head_state head_of(std::size_t queue);
    std::int64_t longest_line() const;

private:
    void check_step() override;
    const std::optional<std::string>& broken_promise() const override { return checker_.broken(); }
    void serve_everyone();
    void crash_a_holder();
    void check_orphans();
    void serve_a_newcomer();
    void note_counters();
    void let_weeks_go_by();
    void disturb_store(nemesis_fault kind);
    void make_older();
    bool free_by_hand(std::size_t queue, const item_key& key);
    void tell_replaced(std::size_t queue);
    std::chrono::nanoseconds take_over_bound() const;
    std::chrono::nanoseconds longest_look() const;
    /// Whose turn another live process is next to have; null: nobody's.
    process* someone_to_die(std::size_t& queue, std::int64_t& ticket);

    const scenario_config config_;
    history* const kept_;
    const std::size_t node_count_;
    const std::size_t queue_count_;
    const std::chrono::milliseconds lease_;
    checker checker_;
    table_faults table_faults_;
    std::vector<outside_resource> resources_;
    std::vector<std::unique_ptr<process>> processes_;
};

}  // namespace dynalease::simulation::queues
