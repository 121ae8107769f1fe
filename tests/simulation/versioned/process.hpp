// One process of a world of versioned items: its caller, and who sees its requests.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/process.hpp"
#include "simulation/versioned/recorder.hpp"
#include "simulation/versioned/user.hpp"
#include "simulation/versioned/world.hpp"

#include <cstddef>
#include <memory>

namespace dynalease::simulation::versions {

class process final : public simulation::process {
public:
    process(version_world& where, std::size_t index);

    version_world& world() noexcept { return world_; }
    user* only_user() const noexcept { return user_.get(); }
    versions::recorder& recorder() noexcept { return recorder_; }

    void interrupt() override;

private:
    testing::network_observer& observer() override { return recorder_; }
    testing::fault_plan plan() override;
    void begin() override;
    void drop() override { user_.reset(); }

    version_world& world_;
    std::shared_ptr<user> user_;
    versions::recorder recorder_;
};

}  // namespace dynalease::simulation::versions
