// Where DynamoDB is: from region and settings to host, port and the region to sign for.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/failure.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease::aws {

struct endpoint {
    bool tls = true;
    std::string host;  ///< to resolve and to check the certificate against; IPv6 without brackets
    std::uint16_t port = 443;
    std::string host_header;     ///< to send and to sign: the port only where it is not the scheme's own
    std::string signing_region;  ///< empty if no region was given: an override needs one for its signature all the same

    /// `https://dynamodb.eu-central-1.amazonaws.com`
    std::string url() const;
};

/// Whether an account is called at a host of its own, `<account>.ddb.<region>.amazonaws.com`.
enum class account_endpoints {
    disabled,   ///< never: the regional host serves every account
    preferred,  ///< where there is one and the account is known
    required,   ///< else it is an error
};

struct endpoint_parameters {
    std::string region{};        ///< "eu-central-1"; "local": DynamoDB Local's usual address
    std::string override_url{};  ///< empty: by the rules of AWS
    bool fips = false;           ///< the validated endpoint; not together with an override
    bool dual_stack = false;     ///< the endpoint with IPv6; not together with an override

    account_endpoints account_mode = account_endpoints::disabled;
    std::optional<std::string> account_id{};   ///< of the credentials
    std::vector<std::string> resource_arns{};  ///< of tables; the first one of this region beats `account_id`
};

/// The rules of AWS. A region AWS does not list yet is placed by its form, else in the standard partition.
/// @returns `errc::invalid_option` for a missing or malformed region, an override that is no plain
/// `http(s)://host[:port]`, or settings that exclude each other; the message names which.
result<endpoint> resolve_endpoint(const endpoint_parameters& parameters);

}  // namespace dynalease::aws
#pragma GCC visibility pop
