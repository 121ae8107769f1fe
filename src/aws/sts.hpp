// STS: the requests by which a role is taken on, and the keys in the answers.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "aws/profile_chain.hpp"
#include "aws/web.hpp"

#include <dynalease/aws/credentials.hpp>
#include <dynalease/aws/timestamp.hpp>

#include <string>
#include <string_view>

namespace dynalease::aws {

/// AssumeRole, signed.
/// @param session_name where the role has none
web_request assume_role_request(const endpoint& sts, const assumed_role& wanted, const std::string& session_name,
                                const credentials& who, wall_time now);

/// AssumeRoleWithWebIdentity, which the token in it vouches for: nothing is signed.
web_request web_identity_request(const endpoint& sts, const web_identity& wanted, const std::string& session_name,
                                 std::string_view token);

/// The keys in an answer of either. Errors name what STS said, never keys.
result<credentials> parse_sts_answer(const web_answer& answer);

/// Whether another try may mend it: 5xx, throttling, an identity provider that could not be reached.
bool is_sts_transient(const web_answer& answer);

/// Whether it was refused in a way that a wrong clock explains, if its date says so too.
bool is_clock_suspect(const web_answer& answer);

}  // namespace dynalease::aws
