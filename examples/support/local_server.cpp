// Starts dynalease-local and reads where it listens from its first line.
// SPDX-License-Identifier: BSL-1.0
#include "support/local_server.hpp"

#include <stdexcept>
#include <string_view>

namespace support {

local_server::local_server() : process_({DYNALEASE_LOCAL_PROGRAM, "--port", "0"}) {
    constexpr std::string_view greeting = "listening on ";
    const auto line = read_line(process_.output());
    if (!line.starts_with(greeting)) throw std::runtime_error("dynalease-local did not start");
    endpoint_ = line.substr(greeting.size());
}

dynalease::client_options local_client_options(const std::string& endpoint) {
    dynalease::client_options options;
    options.region = "us-east-1";
    options.endpoint = endpoint;
    options.credentials = dynalease::credentials{"local", "local"};
    return options;
}

}  // namespace support
