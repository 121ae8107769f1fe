// Where a server listens.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string>

namespace dynalease::http {

struct endpoint {
    bool secure = true;
    std::string host;  ///< a name or a numeric address, IPv6 without brackets
    std::uint16_t port = 443;
};

/// What connects to a secure server on behalf of others, by CONNECT.
struct proxy {
    endpoint where;
    std::string authorization{};  ///< "Basic ..."; empty: it asks for none
};

}  // namespace dynalease::http
