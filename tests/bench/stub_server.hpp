// A server process that answers every request with the same bytes, but for its id, at as little cost as can be: the
// client is the load.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>

namespace bench {

class stub_server {
public:
    /// Forks; so make it before any thread or event loop.
    /// @param answer with an x-amzn-RequestId of 20 characters or more
    explicit stub_server(std::string_view answer);
    ~stub_server();
    stub_server(const stub_server&) = delete;
    stub_server& operator=(const stub_server&) = delete;

    std::uint16_t port() const noexcept { return port_; }
    pid_t process() const noexcept { return child_; }

private:
    pid_t child_ = -1;
    std::uint16_t port_ = 0;
};

}  // namespace bench
