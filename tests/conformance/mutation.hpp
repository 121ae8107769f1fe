// Bodies that no client would send: a random place of a well-formed one, spoilt.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "conformance/dice.hpp"

#include <string>

namespace dynalease::conformance {

std::string mutated(dice& chance, const std::string& body);

}  // namespace dynalease::conformance
