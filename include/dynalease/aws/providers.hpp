// The library's own sources of credentials.
#pragma once

#include <dynalease/aws/credentials.hpp>
#include <dynalease/aws/credentials_provider.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <optional>
#include <string>

namespace dynalease {

/// Always these keys.
std::shared_ptr<credentials_provider> static_credentials(credentials keys);

/// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN and AWS_ACCOUNT_ID. A blank variable counts as unset;
/// one key without the other is an error.
std::shared_ptr<credentials_provider> environment_credentials();

struct default_credentials_options {
    /// Empty: AWS_PROFILE, then "default". A profile named here is the choice of the code and leaves the environment
    /// out.
    std::string profile{};
    /// Where STS is asked; empty: AWS_REGION, AWS_DEFAULT_REGION, the profile's.
    std::string region{};
    /// PEM file of certificate authorities to trust; empty: AWS_CA_BUNDLE, then the system's.
    std::string ca_file{};
    /// Take this role on with the keys that were found.
    std::optional<assumed_role> role{};
};

/// Where AWS tools find keys, in this order: the environment; the profile of the shared files (keys, roles by
/// `source_profile` or `credential_source`, web identity, `credential_process`); web identity of the environment (EKS);
/// the container (ECS, EKS Pod Identity); the instance (IMDSv2). The first source that is configured decides: if it
/// fails, that is the error, and none further down is tried.
///
/// A client without keys of its own makes one of these for itself. Make it here to share its keys among clients,
/// whatever executors they run on: they are fetched once, and anew ahead of their end. Expired keys are still given
/// while their source is away, until the service refuses them. Reads files on `executor`; a process is waited for
/// without blocking.
/// @returns a provider whose `get` fails with `errc::no_credentials`; `errc::invalid_option` for malformed files or
/// settings
std::shared_ptr<credentials_provider> default_credentials(const boost::asio::any_io_executor& executor,
                                                          default_credentials_options options = {});

}  // namespace dynalease
