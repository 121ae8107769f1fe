// The library's own sources of credentials.
#pragma once

#include <dynalease/aws/credentials.hpp>
#include <dynalease/aws/credentials_provider.hpp>

#include <memory>
#include <string>

namespace dynalease {

/// Always these keys.
std::shared_ptr<credentials_provider> static_credentials(credentials keys);

/// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN and AWS_ACCOUNT_ID. A blank variable counts as unset;
/// one key without the other is an error.
std::shared_ptr<credentials_provider> environment_credentials();

/// The keys of a profile in the shared files. A profile that gets its keys another way (role, web identity, single
/// sign-on, a process) is an error that says so.
/// @param profile empty: AWS_PROFILE, then "default"
std::shared_ptr<credentials_provider> profile_credentials(std::string profile = {});

/// The environment, then the profile. The first source that is configured decides: if it fails, that is the error, and
/// none further down is tried. A profile named here is the choice of the code and leaves the environment out.
/// What was found is kept until `invalidate`. Reads files on the calling thread, once.
std::shared_ptr<credentials_provider> default_credentials(std::string profile = {});

}  // namespace dynalease
