// The program dynalease-local as a child process, and a client that talks to it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/child_process.hpp"

#include <dynalease/client.hpp>

#include <string>

namespace support {

class local_server {
public:
    /// Starts it on a free port of 127.0.0.1 and returns when it listens.
    /// @throws std::runtime_error when it does not start.
    local_server();

    /// Such as "http://127.0.0.1:40123".
    const std::string& endpoint() const noexcept { return endpoint_; }
    /// Of the process.
    pid_t id() const noexcept { return process_.id(); }

private:
    child_process process_;
    std::string endpoint_;
};

/// How to reach it: its endpoint and the keys it accepts, and no file or variable of the user's.
dynalease::client_options local_client_options(const std::string& endpoint);

}  // namespace support
