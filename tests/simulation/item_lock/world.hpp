// A world of processes that lock the same items and save them, and everything that is checked meanwhile.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/played_world.hpp"
#include "simulation/item_lock/checker.hpp"
#include "simulation/item_lock/history.hpp"
#include "simulation/item_lock/scenario_config.hpp"
#include "simulation/item_lock/user.hpp"
#include "simulation/versioned/item_history.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dynalease::simulation::item_locks {

class process;

class item_world final : public played_world {
public:
    /// @param kept null, or where all that is checked of locks is written down.
    item_world(world_run& run, const scenario_config& config, history* kept = nullptr);
    ~item_world() override;

    /// Faults, then calm, then the end. @throws violation
    void play();

    // ---- for its parts ----
    const scenario_config& made_of() const noexcept { return config_; }
    std::size_t items() const noexcept { return item_count_; }
    std::chrono::milliseconds lease() const noexcept { return lease_; }
    versions::item_history& item_history() noexcept { return item_history_; }

    void tell(const std::string& node, decltype(event::what) what);
    /// A request of that session has changed the item; `number` is of the user's write in it, if there is one.
    void lock_written_by(const std::string& node, const std::string& session, std::int64_t number, std::size_t index);
    /// The grant of that token; empty: there is none in this life of the item.
    std::optional<claimant> grant_of(const std::string& session, std::size_t index, std::int64_t token) const {
        return checker_.grant_of(session, index, token);
    }
    /// Whether the write of that number has left its mark on the item.
    bool shows_write(std::size_t index, std::int64_t number) {
        const auto stored = item_history_.stored(index);
        const auto* entries = stored ? find(*stored, "entries") : nullptr;
        if (!entries) return false;
        const auto& list = *entries->get_if<attribute_list>();
        return std::ranges::find(list, attribute_value(number)) != list.end();
    }
    bool stands_in(std::size_t index, const claimant& who) {
        const auto lock = lock_of(index);
        return lock.writer == who || lock.readers.contains(who);
    }
    /// Nobody has had the item since then, or wanted it behind readers, and it was there.
    bool free_since(std::size_t index, time_point then) const { return standing_[index].free_since <= then; }
    /// Nobody has voided a claim on it meanwhile, or been granted one: by a floor that rises writes are refused.
    bool same_floor_since(std::size_t index, time_point then) const { return standing_[index].raised_at < then; }
    bool there_since(std::size_t index, time_point then) const { return standing_[index].there_since <= then; }
    /// Whoever has it had it already when that call began, and has shown no sign of life since then; and nobody waits
    /// for readers.
    bool silent_since(std::size_t index, time_point then, time_point began) const;
    /// Somebody makes an item that was removed anew, after a while.
    void arm_birth(std::size_t index);
    /// Its row may say that it is over. @param key as networks log it
    void look_at_session(const std::string& node, const std::string& key);

private:
    void check_step() override;
    void check_belief(process& at, user::holding& in, bool valid);
    void crash_a_holder();
    std::chrono::nanoseconds take_over_bound(std::size_t item) const;
    const std::optional<std::string>& broken_promise() const override;
    void make_item(std::size_t index);
    void arm_rebirth();
    void serve_everyone();
    void check_orphans();
    lock_state lock_of(std::size_t index);
    void look_for_sign_of_life(const std::string& node, std::size_t index);

    const scenario_config config_;
    history* const kept_;
    const std::size_t node_count_;
    const std::size_t item_count_;
    const std::chrono::milliseconds lease_;
    versions::item_history item_history_;
    checker checker_;
    struct standing {
        time_point there_since = time_point::max();
        time_point free_since = time_point::max();
        std::int64_t floor = 0;
        time_point raised_at{};
        claimant writer{};
        std::set<claimant> readers{};
        time_point held_since{};  ///< by just those
    };
    void note_standing(std::size_t index, const lock_state& after);
    std::vector<standing> standing_;         ///< by item
    std::vector<std::string> writer_texts_;  ///< by item, where sessions have no rows
    std::vector<std::unique_ptr<process>> processes_;
};

}  // namespace dynalease::simulation::item_locks
