// The instance metadata service of EC2, version 2: where it is, what to ask, and how to read the way to the keys.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "aws/config_source.hpp"
#include "aws/profile.hpp"
#include "aws/web.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace dynalease::aws {

struct imds_settings {
    bool disabled = false;  ///< AWS_EC2_METADATA_DISABLED
    endpoint where;
    std::optional<std::chrono::seconds> limit{};  ///< AWS_METADATA_SERVICE_TIMEOUT, for each attempt
    std::optional<unsigned> attempts{};           ///< AWS_METADATA_SERVICE_NUM_ATTEMPTS
    std::string role{};  ///< chosen by AWS_EC2_INSTANCE_PROFILE_NAME or the profile; empty: as the instance says
};

/// @returns `errc::invalid_option` for an endpoint that is no URL, a mode that is neither IPv4 nor IPv6, or a role that
/// is no name
result<imds_settings> resolve_imds(const config_source& config, const profile& within);

/// For six hours, the longest there is.
web_request imds_token_request(const imds_settings& settings);
web_request imds_get(const imds_settings& settings, std::string path, const std::string& token);

/// The way to the keys: first the name of the role, then its keys; on the extended path, which tells the account too,
/// or on the old one where there is no other. Remembers from fetch to fetch what it found.
class imds_path {
public:
    enum class step { ask_again, keys, no_role };

    explicit imds_path(std::string chosen_role) : role_(chosen_role), chosen_(!chosen_role.empty()) {}

    void begin() noexcept { listed_ = false; }
    std::string path() const;
    /// @param status 200 or 404, of an answer for `path()`
    step answered(unsigned status, std::string_view body);

private:
    step absent();

    std::string role_;
    bool chosen_;
    bool old_ = false;
    bool settled_ = false;  // which of the two paths there is
    bool listed_ = false;   // the role's name was read in this fetch
};

}  // namespace dynalease::aws
