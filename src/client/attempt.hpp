// What one attempt came to: an answer, or a failure with what is known of its effect and whether to try again.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "http/connection.hpp"

#include <dynalease/aws/retry_policy.hpp>
#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/dynamodb/operations.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace dynalease::detail {

struct attempt {
    std::optional<any_response> answer{};
    failure why{};  ///< without an answer; its outcome is that of this attempt alone
    aws::retry_class retry = aws::retry_class::none;
    std::optional<std::chrono::milliseconds> hint{};  ///< the pause that the service asked for
    bool refused_by_service = false;  ///< the service itself has spoken: its word stands, whatever came before
    bool bad_checksum = false;
    bool clock_suspect = false;  ///< refused in a way that a wrong clock explains
};

/// No connection was to be had: surely nothing happened.
attempt no_connection(error_code error, std::string problem);

/// The exchange broke.
/// @param wrote whether any byte of the request may have left
/// @param flaw of a bad response
attempt broken_exchange(error_code error, http::answer_flaw flaw, bool wrote, std::size_t operation, bool is_write);

/// An answer came.
attempt read_answer(const http::response& answer, std::size_t operation, bool is_write);

}  // namespace dynalease::detail
