// Room client: classification of one attempt.
// SPDX-License-Identifier: BSL-1.0
#include "client/attempt.hpp"

#include "dynamodb/codec.hpp"

#include <zlib.h>

#include <charconv>
#include <utility>

namespace dynalease::detail {

namespace {

/// The service sums up the bytes it sent; an answer without the header cannot be checked.
bool checksum_holds(const http::response& answer) {
    const auto header = answer.header("x-amz-crc32");
    if (header.empty()) return true;
    unsigned long announced = 0;
    const auto [end, error] = std::from_chars(header.data(), header.data() + header.size(), announced);
    if (error != std::errc{} || end != header.data() + header.size()) return false;
    const auto body = answer.body();
    return announced == ::crc32_z(0, reinterpret_cast<const unsigned char*>(body.data()), body.size());
}

outcome unless_read(outcome of_write, bool is_write) {
    return is_write ? of_write : outcome::not_applied;
}

attempt unusable(std::string message, bool is_write) {
    attempt result;
    result.why = failure(errc::bad_response, unless_read(outcome::unknown, is_write));
    result.why.details.message = std::move(message);
    result.retry = aws::retry_class::transient;
    return result;
}

std::string words_for(http::answer_flaw flaw, std::size_t longest) {
    switch (flaw) {
        case http::answer_flaw::malformed:
            break;
        case http::answer_flaw::too_large:
            return "the answer has more than " + std::to_string(longest / 1024 / 1024) +
                   " MiB; ask for fewer items at once";
        case http::answer_flaw::repeated:
            return "the answer bears the request id of the one before: the server, or a proxy, has sent that one again";
        case http::answer_flaw::unasked:
            return "the server speaks before it is asked";
    }
    return "the answer is cut or no HTTP";
}

aws::retry_class retry_of(retry_class decoded, const error_code& code) {
    switch (decoded) {
        case retry_class::none:
            return aws::retry_class::none;
        case retry_class::transient:
            return aws::retry_class::transient;
        case retry_class::throttling:
            return aws::retry_class::throttling;
        case retry_class::auth:
            break;
    }
    const bool replaceable = code == errc::expired_credentials || code == errc::unknown_access_key;
    return replaceable ? aws::retry_class::auth_refresh : aws::retry_class::none;
}

}  // namespace

attempt no_connection(error_code error, std::string problem) {
    attempt result;
    result.why = failure(error);
    if (error == errc::throttled) {
        result.why.details.message = "too many requests wait for a connection";
    } else if (error == errc::timeout) {
        result.why.details.message = "no connection was free within the deadline";
    } else if (error == errc::unreachable || error == errc::tls_failed) {
        result.why.details.message = std::move(problem);
        result.retry = aws::retry_class::transient;
    }
    return result;
}

attempt broken_exchange(error_code error, http::answer_flaw flaw, bool wrote, std::size_t operation, bool is_write) {
    attempt result;
    result.why = failure(error, unless_read(wrote ? outcome::unknown : outcome::not_applied, is_write));
    if (error == errc::timeout) {
        result.why.details.message = "no answer within the deadline";
    } else if (error == errc::server_error) {
        result.why.details.message = "the connection was cut before the answer";
    } else if (error == errc::bad_response) {
        result.why.details.message = words_for(flaw, codec::longest_answer(operation));
    }
    const bool ours = error == errc::cancelled || error == errc::shut_down;
    // What is too large once will be so again.
    const bool hopeless = error == errc::bad_response && flaw == http::answer_flaw::too_large;
    result.retry = ours || hopeless ? aws::retry_class::none : aws::retry_class::transient;
    return result;
}

attempt read_answer(const http::response& answer, std::size_t operation, bool is_write) {
    attempt result;
    if (!checksum_holds(answer)) {
        result = unusable("the answer does not match its checksum", is_write);
        result.bad_checksum = true;
    } else if (answer.status() == 200) {
        auto decoded = codec::decode_response(operation, answer.body());
        if (decoded) {
            result.answer = *std::move(decoded);
            return result;
        }
        result = unusable(std::move(decoded.error().details.message), is_write);
    } else {
        auto decoded = codec::decode_error(answer.status(), answer.body());
        result.retry = retry_of(decoded.retry, decoded.failure.code);
        result.refused_by_service = !decoded.exception.empty() && decoded.failure.outcome == outcome::not_applied &&
                                    decoded.retry != retry_class::transient && decoded.retry != retry_class::throttling;
        result.clock_suspect =
            decoded.failure.code == errc::invalid_signature || decoded.failure.code == errc::access_denied;
        result.why = std::move(decoded.failure);
        result.why.outcome = unless_read(result.why.outcome, is_write);
        result.hint = aws::parse_retry_after(answer.header("x-amz-retry-after"));
    }
    result.why.details.request_id = answer.header("x-amzn-requestid");
    return result;
}

}  // namespace dynalease::detail
