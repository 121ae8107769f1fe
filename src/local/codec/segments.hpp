// The parts of a parallel Scan.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/operations.hpp>

#include <string>

namespace dynalease {

/// What is wrong with the segment that a Scan asks for, in the service's words; empty: nothing.
std::string segment_fault(const scan_request& request);

}  // namespace dynalease
