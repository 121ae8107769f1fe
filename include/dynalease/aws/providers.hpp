// The library's own sources of credentials.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/aws/credentials.hpp>
#include <dynalease/aws/credentials_provider.hpp>
#include <dynalease/detail/braced.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <optional>
#include <string>

#pragma GCC visibility push(default)
namespace dynalease {

/// Always these keys.
std::shared_ptr<credentials_provider> static_credentials(credentials keys);

/// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN and AWS_ACCOUNT_ID. A blank variable counts as unset;
/// one key without the other is an error.
std::shared_ptr<credentials_provider> environment_credentials();

struct default_credentials_options {
    /// Empty: AWS_PROFILE, then "default". A profile named here is the choice of the code and leaves the environment
    /// out.
    detail::braced<std::string> profile{};
    /// Where STS is asked; empty: AWS_REGION, AWS_DEFAULT_REGION, the profile's.
    detail::braced<std::string> region{};
    /// PEM file of certificate authorities to trust; empty: AWS_CA_BUNDLE, then the system's.
    detail::braced<std::string> ca_file{};
    /// Take this role on with the keys that were found.
    std::optional<assumed_role> role{};
    /// As `client_options::proxy`, to STS.
    detail::braced<std::string> proxy{};
};

/// Where AWS tools find keys, in this order. The first source that is configured decides: if it fails, that is the
/// error, and none further down is tried.
///
/// 1. The environment: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN.
/// 2. The profile of the shared files (AWS_PROFILE, AWS_SHARED_CREDENTIALS_FILE, AWS_CONFIG_FILE): keys; `role_arn`
///    with `source_profile` or `credential_source`; `web_identity_token_file`; `credential_process`.
/// 3. Web identity (EKS, by service account): AWS_WEB_IDENTITY_TOKEN_FILE, AWS_ROLE_ARN, AWS_ROLE_SESSION_NAME.
/// 4. The container (ECS, EKS Pod Identity): AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or
///    AWS_CONTAINER_CREDENTIALS_FULL_URI, AWS_CONTAINER_AUTHORIZATION_TOKEN or AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE.
/// 5. The instance (EC2): its metadata service, version 2 only; AWS_EC2_METADATA_DISABLED=true switches it off,
///    AWS_METADATA_SERVICE_TIMEOUT (in seconds) and AWS_METADATA_SERVICE_NUM_ATTEMPTS say how long it is tried.
///
/// Single sign-on needs a browser, and is refused by name: let
/// `credential_process = aws configure export-credentials --profile NAME` do it.
///
/// A client without keys of its own makes one of these for itself. Make it here to share its keys among clients,
/// whatever executors they run on: they are fetched once for all calls, and anew ahead of their end, for which no call
/// waits. Expired keys are still given while their source is away, until the service refuses them. Reads files on
/// `executor`; a process is waited for without blocking.
/// @returns a provider whose `get` fails with `errc::no_credentials`; `errc::invalid_option` for malformed files or
/// settings
std::shared_ptr<credentials_provider> default_credentials(const boost::asio::any_io_executor& executor,
                                                          default_credentials_options options = {});

}  // namespace dynalease
#pragma GCC visibility pop
