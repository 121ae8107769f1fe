// Whether a request has the fault that a refusal of ours tells of. Its words name the operands, so that a refusal
// without a reason cannot hide behind what another server lets pass.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "conformance/program.hpp"

#include <string>

namespace dynalease::conformance {

/// @param words of a refusal about an expression: undefined placeholders, operands of wrong types, paths that meet,
/// bounds in the wrong order. False for all others.
bool has_told_fault(const call& what, const std::string& words);

}  // namespace dynalease::conformance
