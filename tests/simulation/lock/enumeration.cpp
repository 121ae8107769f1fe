// Every public operation of sessions and locks, disturbed at every point.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/fault_points.hpp"
#include "simulation/lock/fault_points.hpp"

namespace dynalease::simulation::locks {

namespace {

enumeration_result enumerate(std::ostream& lines) {
    return enumerate_on(enumerated_operations(), lines);
}

const contribution lock_points{{.name = "lock", .enumerate = enumerate}};

}  // namespace

}  // namespace dynalease::simulation::locks
