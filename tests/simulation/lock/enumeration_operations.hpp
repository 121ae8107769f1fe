// The public operations of sessions and locks, each in the setting that shows it.
#pragma once

#include "simulation/lock/enumeration_stage.hpp"

#include <chrono>
#include <span>
#include <string_view>

namespace dynalease::simulation::locks {

struct enumerated_operation {
    std::string_view name;
    void (*prepare)(enumeration_stage& on);
    /// Begins it; what happens from here on is disturbed.
    void (*start)(enumeration_stage& on);
    /// It is watched for at least so long: heartbeats have no caller.
    std::chrono::milliseconds lasts{0};
};

std::span<const enumerated_operation> enumerated_operations();

}  // namespace dynalease::simulation::locks
