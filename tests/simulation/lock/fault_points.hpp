// The public operations of sessions and locks, each in the setting that shows it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/fault_points.hpp"
#include "simulation/lock/stage.hpp"

#include <span>

namespace dynalease::simulation::locks {

std::span<const operation_on<enumeration_stage>> enumerated_operations();

}  // namespace dynalease::simulation::locks
