// Errors on the wire: {"__type":"com.amazonaws.dynamodb.v20120810#Name","message":"…"}, with the present item of a
// refused condition and the reasons of a refused transaction.
// SPDX-License-Identifier: BSL-1.0
#include "dynamodb/codec.hpp"
#include "dynamodb/item_fields.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace dynalease::codec {

namespace {

/// These say "Message" where the others say "message".
constexpr std::string_view with_capital[] = {"TransactionCanceledException", "TransactionInProgressException",
                                             "IdempotentParameterMismatchException", "SerializationException",
                                             "AccessDeniedException"};

/// The body of an error, as much of it as is there.
struct error_body {
    std::string type;
    std::string message;
    std::optional<item> current;
    std::vector<cancellation_reason> reasons;
    bool capital = false;
};

void fields(auto& visitor, maybe_const<error_body> auto& body) {
    visitor.required("__type", body.type);
    visitor.optional(body.capital ? "Message" : "message", body.message);
    if constexpr (std::remove_cvref_t<decltype(visitor)>::reading) {
        if (body.message.empty()) visitor.optional("Message", body.message);
    }
    visitor.optional("Item", body.current);
    visitor.optional("CancellationReasons", body.reasons);
}

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

namespace {

/// Some messages repeat what was wrong with a request, and with all escapes would be longer than it.
std::string_view shortened(std::string_view message) {
    constexpr std::size_t most = 64 * 1024;
    if (message.size() <= most) return message;
    message = message.substr(0, most);
    constexpr unsigned continued = 0x80;
    constexpr unsigned continued_mask = 0xc0;
    const auto is_inside = [](char c) { return (static_cast<unsigned char>(c) & continued_mask) == continued; };
    while (is_inside(message.back())) message.remove_suffix(1);
    message.remove_suffix(1);  // the first byte of a character that may be cut
    return message;
}

}  // namespace

encoded_error encode_error(const failure& why) {
    const bool is_ours = why.code.category() == error_category();
    const auto& known =
        service_error_of(is_ours ? static_cast<errc>(why.code.value()) : errc::server_error, why.outcome);
    error_body body{std::string(namespace_of(known.name)), std::string(shortened(why.details.message)), why.current,
                    why.reasons};
    for (auto& reason : body.reasons) reason.message = shortened(reason.message);
    body.type += known.name;
    body.capital = std::ranges::find(with_capital, known.name) != std::end(with_capital);
    const bool is_mute = known.code == errc::not_supported || known.name == "SerializationException";
    if (body.message.empty() && !is_mute) body.message = why.code.message();
    json_writer out;
    write(out, body);
    return {known.status, std::move(out).take()};
}

}  // namespace dynalease::codec
