// What the embedded server says of a failure.
// SPDX-License-Identifier: BSL-1.0
#include "dynamodb/error_fields.hpp"
#include "dynamodb/error_names.hpp"
#include "local/codec/server_codec.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace dynalease::codec {

namespace {

/// These say "Message" where the others say "message".
constexpr std::string_view with_capital[] = {"TransactionCanceledException", "TransactionInProgressException",
                                             "IdempotentParameterMismatchException", "SerializationException",
                                             "AccessDeniedException"};

/// What the service puts before the name: "com.amazonaws.dynamodb.v20120810#", or that of the part which refused.
std::string_view namespace_of(std::string_view exception) noexcept {
    constexpr std::string_view of_the_front[] = {"SerializationException",       "UnknownOperationException",
                                                 "AccessDeniedException",        "InvalidSignatureException",
                                                 "IncompleteSignatureException", "UnrecognizedClientException",
                                                 "ExpiredTokenException",        "MissingAuthenticationTokenException"};
    if (exception == "ValidationException") return "com.amazon.coral.validate#";
    if (exception == "ThrottlingException") return "com.amazon.coral.availability#";
    const bool by_front = std::ranges::find(of_the_front, exception) != std::end(of_the_front);
    return by_front ? "com.amazon.coral.service#" : "com.amazonaws.dynamodb.v20120810#";
}

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
