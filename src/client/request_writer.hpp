// The bytes of a signed request.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/aws/endpoint.hpp>
#include <dynalease/aws/sigv4.hpp>

#include <string>
#include <string_view>

namespace dynalease::detail {

class request_writer {
public:
    request_writer(const aws::endpoint& endpoint, std::string user_agent);

    /// Replaces what `into` holds; its memory is used again.
    void write(std::string& into, std::string_view operation, std::string_view body, const credentials& who,
               aws::wall_time now);

private:
    std::string host_;
    std::string user_agent_;
    std::string target_;
    aws::request_signer signer_;
};

}  // namespace dynalease::detail
