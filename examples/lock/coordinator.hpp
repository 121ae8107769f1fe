// The script of the demonstration: what is done to the workers, and when.
// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace demo {

/// Plays it all against a dynalease-local of its own. @returns the exit status.
int run_coordinator();

}  // namespace demo
