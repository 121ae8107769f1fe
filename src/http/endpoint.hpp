// Where a server listens.
#pragma once

#include <cstdint>
#include <string>

namespace dynalease::http {

struct endpoint {
    bool secure = true;
    std::string host;  ///< a name or a numeric address, IPv6 without brackets
    std::uint16_t port = 443;
};

}  // namespace dynalease::http
