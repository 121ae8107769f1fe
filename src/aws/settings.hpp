// From options, environment and profile to what a client needs to know.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "aws/config_source.hpp"
#include "aws/profile.hpp"

#include <dynalease/aws/endpoint.hpp>

#include <string>

namespace dynalease::aws {

/// What code chose; an empty field is looked up.
struct chosen_settings {
    std::string region{};
    std::string endpoint{};
    std::string profile{};
    unsigned attempts = 0;
    std::string ca_file{};
    std::string account_id{};  ///< of fixed keys
    std::string application{};
};

struct settings {
    aws::endpoint endpoint;     ///< with a signing region
    unsigned attempts = 4;      ///< at least 1; DynamoDB's own default is 4
    std::string ca_file{};      ///< empty: the system's authorities
    std::string application{};  ///< what requests call the program; empty: nothing
};

/// Looks up, in this order: the code's choice, AWS_* variables, the profile, the default. Reads the shared files, once.
/// @returns `errc::invalid_option` when no region is known, a value is malformed, or the profile is chosen but missing.
result<settings> resolve_settings(const chosen_settings& chosen, const config_source& source);

/// Where STS is. Only DynamoDB's own endpoint can be chosen in code, so that this follows environment and profile.
/// @param region chosen by code; empty: looked up
result<endpoint> resolve_sts(const std::string& region, const config_source& source, const profile& within);

}  // namespace dynalease::aws
