// Results as JSON, one object a line.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/campaign.hpp"

#include <iosfwd>
#include <optional>

namespace dynalease::simulation {

void report(const primitive& what, const campaign_result& result, bool with_hash, std::ostream& out);
void report(const mutant& which, const std::optional<std::uint64_t>& seeds, std::ostream& out);

}  // namespace dynalease::simulation
