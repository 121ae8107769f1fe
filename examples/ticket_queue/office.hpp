// The office: starts the clerks, shows the queue as it moves, kills one in its turn, and checks the outcome.
// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace tickets {

/// @returns the exit status.
int run_office();

}  // namespace tickets
