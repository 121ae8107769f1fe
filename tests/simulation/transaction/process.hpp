// One process of a world of transactions: its caller, and who sees its requests.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/process.hpp"
#include "simulation/transaction/recorder.hpp"
#include "simulation/transaction/user.hpp"
#include "simulation/transaction/world.hpp"

#include <cstddef>
#include <memory>

namespace dynalease::simulation::transfers {

class process final : public simulation::process {
public:
    process(transfer_world& where, std::size_t index);

    transfer_world& world() noexcept { return world_; }
    user* only_user() const noexcept { return user_.get(); }
    /// Begins to sweep up and to meet every item.
    void tidy_up();

    void interrupt() override;

private:
    testing::network_observer& observer() override { return recorder_; }
    testing::fault_plan plan() override;
    void begin() override;
    void drop() override { user_.reset(); }

    transfer_world& world_;
    std::shared_ptr<user> user_;
    transfers::recorder recorder_;
};

}  // namespace dynalease::simulation::transfers
