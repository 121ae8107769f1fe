// The differences between our server and others that have a reason.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "conformance/answer.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace dynalease::conformance {

struct known_difference {
    std::string_view reason;
    bool same_effect;  ///< where both answer: both leave the same items behind, so that the program goes on
    bool (*matches)(const difference& found);
};

/// A null pointer if it has no reason.
/// @param server whose reading of DynamoDB it is that differs
const known_difference* find_known(std::string_view server, const difference& found);

/// All that are listed for a server.
std::vector<const known_difference*> all_known(std::string_view server);

/// Whether the server may leave behind a part of what it has refused, so that all that follows may differ.
bool leaves_parts(std::string_view server, const call& what, const answer& refusal);

std::span<const known_difference> differences_of_dynoxide();
std::span<const known_difference> differences_of_moto();

}  // namespace dynalease::conformance
