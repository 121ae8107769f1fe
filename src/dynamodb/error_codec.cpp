// What the answer to a refused or failed request says.
// SPDX-License-Identifier: BSL-1.0
#include "dynamodb/codec.hpp"
#include "dynamodb/error_fields.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::codec {

namespace {

decoded_error not_understood(unsigned status, std::string_view what) {
    const auto meaning = service_error_of_status(status, false);
    decoded_error out{failure(meaning.code, meaning.outcome), {}, meaning.retry};
    out.failure.details.message = "HTTP status " + std::to_string(status) + ", no DynamoDB error: ";
    out.failure.details.message += what;
    if (meaning.code == errc::bad_response) {
        out.failure.details.advice = "check the endpoint, and any proxy before it";
    }
    return out;
}

}  // namespace

decoded_error decode_error(unsigned http_status, std::string_view body) {
    error_body content;
    try {
        const json_body parsed(body, max_answer_size, most_values(body.size()));
        read(json_input{parsed.root()}, content);
    } catch (const malformed& why) {
        auto out = not_understood(http_status, why.message());
        // A refusal whose item cannot be read must not pass for a refusal without an item.
        if (!content.type.empty() && http_status < 500) out.failure.code = errc::bad_response;
        if (!content.type.empty()) out.failure.outcome = outcome::unknown;
        out.exception = exception_name(content.type);
        return out;
    }

    decoded_error out;
    out.exception = exception_name(content.type);
    const auto* known = find_service_error(out.exception);
    auto meaning = known ? *known : service_error_of_status(http_status, true);
    if (known && http_status >= 500) {
        // Whatever it is called, the service does not know what became of the request.
        meaning.code = errc::server_error;
        meaning.outcome = outcome::unknown;
        if (meaning.retry != retry_class::throttling) meaning.retry = retry_class::transient;
    }
    // What follows the first line repeats the request as it should have been signed, with its session token.
    if (meaning.retry == retry_class::auth) {
        content.message.resize(std::min(content.message.find('\n'), content.message.size()));
    }
    out.retry = meaning.retry;
    out.failure = failure(meaning.code, meaning.outcome);
    out.failure.current = std::move(content.current);
    out.failure.reasons = std::move(content.reasons);
    out.failure.details.message =
        known || out.exception.empty() ? std::move(content.message) : out.exception + ": " + content.message;
    return out;
}

}  // namespace dynalease::codec
