// The judge as a process of its own: it keeps the fenced resource, writes down what all report, and judges at the end.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "torture/report.hpp"

#include <string>

namespace torture {

/// Prints its port on standard output, serves until nobody is connected any more, and prints the verdict.
/// @param history_file where to leave the history, one event a line; empty: nowhere.
/// @returns the exit status: 0 without violations.
int run_judge(const circumstances& run, const std::string& history_file);

}  // namespace torture
