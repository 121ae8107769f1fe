// One process of a lock's world: its session, its users of locks, and what its network tells.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/watched_process.hpp"
#include "simulation/lock/open_writes.hpp"
#include "simulation/lock/user.hpp"
#include "simulation/lock/world.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>

namespace dynalease::simulation::locks {

class process final : public watched_process<user> {
public:
    process(lock_world& where, std::size_t index);

    lock_world& world() noexcept { return world_; }
    /// What of the present session's writes may yet bring it a lock.
    const open_writes& writes() const noexcept { return writes_; }
    /// A release of that lock was repeated by the network, and refused for the work of its first copy.
    bool release_repeated(std::size_t lock) const { return releases_repeated_.contains(lock); }
    /// Nothing of a former life is open any more.
    void note_life();
    /// Kept by whoever inspects a lock, until that is done or its program is no more.
    std::shared_ptr<int> inspection() const noexcept { return inspections_; }

    /// Whoever was stopped between a look at its guard and a write goes on with the write.
    void resumed() override {
        watched_process::resumed();
        for (const auto& each : users()) each->write_outside();
    }
    void sent(const testing::logged_request& entry, const any_request& request) override;
    void failed(const testing::logged_request& entry, const any_request& request, const failure& why) override;
    void sent_again(const testing::logged_request& entry, const any_request& request) override;
    void applied(const testing::logged_request& entry, const any_request& request,
                 const result<any_response>& answer) override;
    void answered(const testing::logged_request& entry, const any_request& request,
                  const result<any_response>& answer) override;

private:
    void begin() override;
    bool is_replayed(const transact_write_items_request& request);
    /// An answer about a lock has come to the life that asked.
    void heard(std::size_t lock, const testing::logged_request& entry, const any_request& request,
               const result<any_response>& answer);

    lock_world& world_;
    std::set<std::string> carried_out_;  ///< tokens of transactions
    open_writes writes_;
    std::set<const testing::logged_request*> paused_;  ///< between two attempts, of which the first has failed
    std::uint64_t life_ = 1;                           ///< whose they are
    time_point life_began_{};                          ///< ... by the process's clock
    std::set<std::size_t> releases_repeated_;
    std::shared_ptr<int> inspections_ = std::make_shared<int>();
};

}  // namespace dynalease::simulation::locks
