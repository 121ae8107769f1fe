// The JSON 1.0 protocol of DynamoDB, as a client speaks it: requests are encoded, answers decoded. Pure functions; what
// is malformed comes back as a failure that names the place.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/dynamodb/operations.hpp>

#include "dynamodb/error_names.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace dynalease::codec {

/// Requests beyond this are refused unread; it is also the most the service takes.
inline constexpr std::size_t max_body_size = 16 * 1024 * 1024;
/// The same of answers that may hold a hundred items. The service counts 16 MB of them, as it stores them: in JSON a
/// list of nulls, two bytes each there, is seven times as long, and so nearly is text of control characters.
inline constexpr std::size_t max_answer_size = 8 * max_body_size;
/// Of all others: a page ends with the item that fills its 1 MB.
inline constexpr std::size_t max_small_answer_size = 2 * max_body_size;

/// How many JSON values a body may have that came in so many bytes. No item has more: two for each of the 400 K
/// empty texts in the largest. A packed body may unpack to a multitude, and in memory a value is many times its text.
constexpr std::size_t most_values(std::size_t received) noexcept {
    return 1024 * 1024 + received / 4;
}

std::string encode_request(const any_request& request);

/// The most that the answer to a request may have, a refusal with the items that it tells of too.
/// @param operation `request.index()`
std::size_t longest_answer(std::size_t operation);

/// Reads the body of a 200 answer.
/// @param operation `request.index()` of the request it answers, so that the request itself need not be kept.
/// @returns a failure with `errc::bad_response` if the body is not what the service sends; its outcome is
/// `unknown` for a write.
result<any_response> decode_response(std::size_t operation, std::string_view body);

struct decoded_error {
    dynalease::failure failure;  ///< outcome as for a write; for a read nothing is ever in doubt
    std::string exception{};     ///< "ThrottlingException"; empty if the body named none
    retry_class retry = retry_class::none;
};

/// Reads the body of any other answer. Falls back to the status when the body is not DynamoDB's or the status is 5xx.
decoded_error decode_error(unsigned http_status, std::string_view body);

}  // namespace dynalease::codec
