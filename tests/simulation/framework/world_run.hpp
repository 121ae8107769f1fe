// One world of a campaign, as its scenario sees it: where its choices come from, and where its findings go.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/coverage.hpp"
#include "simulation/framework/trace.hpp"

#include <dynalease/testing/tape.hpp>

#include <stdexcept>
#include <string>

namespace dynalease::simulation {

/// A broken promise: "P1: ..." and what was seen.
struct violation : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct world_run {
    testing::tape& choices;
    dynalease::simulation::coverage& coverage;
    dynalease::simulation::trace& trace;
};

}  // namespace dynalease::simulation
