// From the options of a client to what it works with: checked, and completed from environment and profile.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "aws/settings.hpp"
#include "client/credentials/configured_provider.hpp"
#include "http/connector.hpp"
#include "http/pool_policy.hpp"

#include <dynalease/client.hpp>

#include <string>

namespace dynalease::detail {

/// Far beyond what is of use, and near enough to be added to any time.
inline constexpr std::chrono::hours longest_timeout{24};

/// Of calls that say nothing of it themselves.
struct call_limits {
    std::chrono::nanoseconds timeout{};
    std::chrono::nanoseconds attempt_timeout{};
    unsigned attempts = 0;
};

struct client_configuration {
    aws::settings aws;
    configured_provider keys;
    http::connector_options connecting;
    http::pool_policy::limits ordinary;
    http::pool_policy::limits heartbeat;
    call_limits calls;
    std::string user_agent;
    log_hook log;
};

/// @throws dynalease::error with `errc::invalid_option`; the message names the option.
client_configuration configure(const environment& world, client_options options);

}  // namespace dynalease::detail
