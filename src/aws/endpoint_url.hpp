// Strict reading of an endpoint given as a URL.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/aws/endpoint.hpp>

#include <string_view>

namespace dynalease::aws {

/// `http://` or `https://`, a host name, IPv4 or bracketed IPv6 address, an optional port, an optional `/`; nothing
/// else, because a request of DynamoDB has no path. `signing_region` stays empty.
result<endpoint> parse_endpoint_url(std::string_view url);

}  // namespace dynalease::aws
