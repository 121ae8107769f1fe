// The JSON 1.0 protocol of DynamoDB, as a server speaks it: requests are decoded, answers encoded. Pure functions; what
// is malformed comes back as a failure in the words of the service.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "dynamodb/codec.hpp"
#include "local/codec/wording.hpp"

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/dynamodb/operations.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace dynalease::codec {

/// Whether the part of X-Amz-Target after the dot is an operation.
bool is_operation(std::string_view name) noexcept;

/// @param operation the same part.
/// @param most values that are read; a body with more of them is refused.
/// @returns a failure that `encode_error` turns into the service's own: `errc::bad_response` for a body that is no
/// JSON, or of the wrong shape (SerializationException), `errc::not_supported` for an unknown operation, else
/// `errc::validation` or `errc::access_denied`.
result<any_request> decode_request(std::string_view operation, std::string_view body, std::size_t most,
                                   wording words = wording::newer);
inline result<any_request> decode_request(std::string_view operation, std::string_view body) {
    return decode_request(operation, body, most_values(body.size()));
}

std::string encode_response(const any_response& response);
/// Of a Query or Scan that asked for a count alone: a page without a match then has no list of items either.
std::string encode_count(const page_response& page);

struct encoded_error {
    unsigned status = 0;
    std::string body;
};
encoded_error encode_error(const failure& why);

}  // namespace dynalease::codec
