// The profile in use: which files, which name, what they say.
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

/// Reads both files; one that does not exist is as good as an empty one. `errc::invalid_option` if a line is malformed,
/// a file cannot be read, or a chosen profile is in neither.
result<profile> load_profile(const config_source& source, const std::string& wanted);

}  // namespace dynalease::aws
