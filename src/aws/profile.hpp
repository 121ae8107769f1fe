// The profile in use: which files, which name, what they say.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "aws/config_source.hpp"
#include "aws/shared_config.hpp"

#include <string>

namespace dynalease::aws {

struct profile_location {
    std::string config_file;
    std::string credentials_file;
    std::string name;
    bool chosen = false;  ///< named by code or AWS_PROFILE, so it has to exist
};

/// @param wanted the profile named in code; empty: AWS_PROFILE, then "default"
profile_location locate_profile(const config_source& source, const std::string& wanted);

struct profile {
    profile_location location;
    config_section properties;  ///< empty if the default profile is in no file
    config_sections services;
};

/// Reads both files; one that does not exist is as good as an empty one. `errc::invalid_option` if a line is malformed
/// or a file cannot be read.
result<shared_config> load_shared_config(const config_source& source, const profile_location& where);

/// One profile of them; `errc::invalid_option` if it was chosen and is in neither file.
result<profile> select_profile(const shared_config& files, profile_location where);

/// Both.
result<profile> load_profile(const config_source& source, const std::string& wanted);

}  // namespace dynalease::aws
