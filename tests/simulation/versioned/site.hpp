// One process of a world of versioned items: its machine, its caller, and who sees its requests.
#pragma once

#include "simulation/versioned/caller.hpp"
#include "simulation/versioned/witness.hpp"
#include "simulation/versioned/world.hpp"

#include <dynalease/testing/node.hpp>

#include <memory>
#include <string>

namespace dynalease::simulation::versions {

class site {
public:
    site(version_world& where, std::size_t index);
    ~site();
    site(const site&) = delete;
    site& operator=(const site&) = delete;

    version_world& world() noexcept { return world_; }
    testing::node& machine() noexcept { return machine_; }
    const std::string& name() const noexcept { return name_; }
    caller* user() const noexcept { return caller_.get(); }
    /// Coroutines of the caller that stand somewhere.
    std::size_t frames = 0;

    void open();
    void crash(clock::duration down);
    /// After a crash, or once its caller has gone.
    void reopen();

    versions::witness& witness() noexcept { return witness_; }

private:
    version_world& world_;
    const std::size_t index_;
    const std::string name_;
    testing::node machine_;
    std::uint64_t lives_ = 0;
    std::shared_ptr<caller> caller_;
    versions::witness witness_;
};

}  // namespace dynalease::simulation::versions
