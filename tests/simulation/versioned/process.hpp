// One process of a world of versioned items: its caller, and who sees its requests.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/process.hpp"
#include "simulation/versioned/user.hpp"
#include "simulation/versioned/recorder.hpp"
#include "simulation/versioned/world.hpp"

#include <cstddef>
#include <memory>

namespace dynalease::simulation::versions {

class site final : public process {
public:
    site(version_world& where, std::size_t index);

    version_world& world() noexcept { return world_; }
    caller* user() const noexcept { return caller_.get(); }
    versions::witness& witness() noexcept { return witness_; }

    void interrupt() override;

private:
    testing::network_observer& observer() override { return witness_; }
    testing::fault_plan plan() override;
    void begin() override;
    void drop() override { caller_.reset(); }

    version_world& world_;
    std::shared_ptr<caller> caller_;
    versions::witness witness_;
};

}  // namespace dynalease::simulation::versions
