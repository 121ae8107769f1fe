// One process of a world of transactions: its caller, and who sees its requests.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/process.hpp"
#include "simulation/transaction/recorder.hpp"
#include "simulation/transaction/user.hpp"
#include "simulation/transaction/world.hpp"

#include <dynalease/session.hpp>

#include <cstddef>
#include <memory>
#include <optional>

namespace dynalease::simulation::transfers {

class process final : public simulation::process {
public:
    process(transfer_world& where, std::size_t index);

    transfer_world& world() noexcept { return world_; }
    user* only_user() const noexcept { return user_.get(); }
    /// Begins to sweep up and to meet every item.
    void tidy_up();
    /// Null: nobody there requires a lock.
    dynalease::session* session() noexcept { return session_ ? &*session_ : nullptr; }

    void interrupt() override;
    void close() override;
    bool closed() const override { return closed_; }
    void shut() override { drop(); }

private:
    testing::network_observer& observer() override { return recorder_; }
    testing::fault_plan plan() override;
    void begin() override;
    void let_go() override;
    void drop() override;

    transfer_world& world_;
    std::optional<dynalease::session> session_;
    std::shared_ptr<user> user_;
    bool closed_ = false;
    transfers::recorder recorder_;
};

}  // namespace dynalease::simulation::transfers
