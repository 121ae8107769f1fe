// Which proxy a connection to a service goes through.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "aws/config_source.hpp"

#include <dynalease/aws/endpoint.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace dynalease::aws {

struct proxy {
    std::string host;
    std::uint16_t port = 0;
    std::string authorization{};  ///< "Basic ..."; empty: it asks for none
};

/// Looks up, in this order: the code's choice, https_proxy, HTTPS_PROXY; but not where no_proxy or NO_PROXY names the
/// host. Nothing without TLS goes through a proxy, nor what is on this machine or its link, where keys are handed out.
/// @param chosen a URL, or "none"; empty: looked up
/// @returns `errc::invalid_option` for one that is no URL, without what it holds of a user
result<std::optional<proxy>> resolve_proxy(const endpoint& to, const std::string& chosen, const config_source& source);

}  // namespace dynalease::aws
