// The head of an HTTP request, as views into the bytes it was read from.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/aws/sigv4.hpp>

#include <boost/system/error_code.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dynalease::local {

struct request_head {
    enum class status { incomplete, complete, malformed, too_large, no_length };
    status what = status::incomplete;
    std::size_t size = 0;            ///< of the head itself
    std::size_t content_length = 0;  ///< of the body behind it
    bool keep_alive = true;
    bool expects_continue = false;  ///< the peer keeps the body back until it is told to go on
};

inline constexpr std::size_t largest_head = 16 * 1024;  ///< the service answers a larger one with 400
inline constexpr std::size_t largest_body = 16 * 1024 * 1024;

/// @param bytes begin with the head; `into` gets method, path, query and headers as views into them.
request_head parse_head(std::string_view bytes, aws::request_view& into);

}  // namespace dynalease::local
