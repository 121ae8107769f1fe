// A request that is tried again while its service is ill.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "client/credentials/source_context.hpp"

#include <chrono>
#include <functional>

namespace dynalease::detail {

struct http_retry {
    unsigned attempts = 3;
    std::chrono::milliseconds limit{2000};  ///< for connecting, and again for the answer
    /// Which answers are worth another attempt.
    bool (*is_transient)(const aws::web_answer& answer) = [](const aws::web_answer& answer) {
        return answer.status >= 500 || answer.status == 429;
    };
};

/// The answer of the last attempt, or why there was none.
/// @param make makes the request anew for each attempt: a signature has a date
boost::asio::awaitable<result<aws::web_answer>> exchange_with_retry(shared_source_context context,
                                                                    std::function<aws::web_request()> make,
                                                                    http_retry how);

}  // namespace dynalease::detail
