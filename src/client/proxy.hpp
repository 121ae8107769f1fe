// The way to a service: through a proxy or without.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "aws/config_source.hpp"
#include "http/endpoint.hpp"

#include <dynalease/aws/endpoint.hpp>

#include <optional>
#include <string>

namespace dynalease::detail {

/// As `aws::resolve_proxy`.
result<std::optional<http::proxy>> proxy_to(const aws::endpoint& service, const std::string& chosen,
                                            const aws::config_source& source);

}  // namespace dynalease::detail
